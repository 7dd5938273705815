// The code interpreter, in the template that INTERPRETER names.
'use strict'
const assert = require('node:assert')
const ci = require('@e2b/code-interpreter')
const { check, run, rejected, until } = require('./area.cjs')
const { Sandbox } = ci

check('the last expression is the result, and output comes as it is written', async ({ box }) => {
  const heard = { out: [], err: [], results: [] }
  const execution = await box.runCode("import sys\nprint('one')\nprint('two', file=sys.stderr)\n40 + 2", {
    onStdout: (message) => heard.out.push(message.line),
    onStderr: (message) => heard.err.push(message.line),
    onResult: (result) => heard.results.push(result.text),
  })
  assert.equal(execution.text, '42')
  assert.equal(execution.error, undefined)
  assert.equal(execution.logs.stdout.join(''), 'one\n')
  assert.equal(execution.logs.stderr.join(''), 'two\n')
  assert.deepEqual([heard.out.join(''), heard.err.join(''), heard.results], ['one\n', 'two\n', ['42']])
  assert.equal(execution.results[0].isMainResult, true)
  assert.equal(execution.toJSON().logs.stdout.join(''), 'one\n')
})

check('state stays, and executions are counted', async ({ box }) => {
  const first = await box.runCode('n = 1')
  const second = await box.runCode('n += 1; n')
  assert.equal(second.text, '2')
  assert.equal(second.executionCount, first.executionCount + 1)
})

check('an error is told with its traceback', async ({ box }) => {
  const told = []
  const execution = await box.runCode('def f():\n  return 1 / 0\nf()', { onError: (error) => told.push(error.name) })
  assert.equal(execution.error.name, 'ZeroDivisionError')
  assert.equal(execution.error.value, 'division by zero')
  assert.match(execution.error.traceback, /f\(\)/)
  assert.deepEqual(told, ['ZeroDivisionError'])
  assert.equal((await box.runCode('def (')).error.name, 'SyntaxError')
})

check('variables are for one run, over those of the sandbox', async ({ box }) => {
  const code = "import os; (os.environ.get('OF_BOX'), os.environ.get('OF_RUN'))"
  assert.equal((await box.runCode(code, { envs: { OF_RUN: 'x' } })).text, "('yes', 'x')")
  assert.equal((await box.runCode(code)).text, "('yes', None)")
})

check('contexts are made, listed, begun anew and removed', async ({ box }) => {
  const context = await box.createCodeContext({ cwd: '/tmp', language: 'python' })
  assert.deepEqual([context.language, context.cwd], ['python', '/tmp'])
  await box.runCode('mine = 7', { context })
  assert.equal((await box.runCode('import os; (mine, os.getcwd())', { context })).text, "(7, '/tmp')")
  assert.equal((await box.runCode('mine')).error.name, 'NameError')
  assert.ok((await box.listCodeContexts()).some((one) => one.id === context.id))
  await box.restartCodeContext(context)
  assert.equal((await box.runCode('mine', { context })).error.name, 'NameError')
  await box.removeCodeContext(context.id)
  assert.ok(!(await box.listCodeContexts()).some((one) => one.id === context.id))
  await rejected(box.removeCodeContext(context.id), ci.NotFoundError)
  await rejected(box.restartCodeContext('none'), ci.NotFoundError)
  await rejected(box.runCode('1', { context: { id: 'none' } }), ci.NotFoundError)
  await rejected(box.createCodeContext({ language: 'cobol' }), ci.SandboxError)
})

check('other languages run', async ({ box }) => {
  assert.equal((await box.runCode('let a = [1, 2]; a.length + 1', { language: 'javascript' })).text, '3')
  assert.equal((await box.runCode('echo $((6 * 7))', { language: 'bash' })).logs.stdout.join(''), '42\n')
  assert.ok((await box.runCode("throw new TypeError('no')", { language: 'js' })).error)
  await rejected(box.runCode('x', { language: 'cobol' }), ci.SandboxError)
})

check('results come in all their forms', async ({ box }) => {
  const { results: [result] } = await box.runCode(`
class Rich:
  def __repr__(self): return 'plain'
  def _repr_html_(self): return '<b>h</b>'
  def _repr_markdown_(self): return '*m*'
  def _repr_svg_(self): return '<svg/>'
  def _repr_png_(self): return b'png'
  def _repr_jpeg_(self): return b'jpeg'
  def _repr_latex_(self): return '$x$'
  def _repr_json_(self): return {'a': [1]}
  def _repr_javascript_(self): return 'alert(1)'
Rich()`)
  assert.deepEqual(
    [result.text, result.html, result.markdown, result.svg, result.latex, result.json, result.javascript],
    ['plain', '<b>h</b>', '*m*', '<svg/>', '$x$', { a: [1] }, 'alert(1)'])
  assert.equal(Buffer.from(result.png, 'base64').toString(), 'png')
  assert.equal(Buffer.from(result.jpeg, 'base64').toString(), 'jpeg')
  assert.ok(result.formats().includes('html'))
  assert.equal(result.toJSON().text, 'plain')
})

check('a client that runs out of patience interrupts the code', async ({ box }) => {
  await rejected(box.runCode('import time\nwhile True: time.sleep(0.05)', { timeoutMs: 1000 }), ci.TimeoutError)
  await until('the next to run', async () => (await box.runCode('5', { timeoutMs: 20_000 })).text === '5')
})

check('a sandbox that is gone, or has no interpreter, is told', async () => {
  const box = await Sandbox.create(process.env.INTERPRETER)
  await box.kill()
  await rejected(box.runCode('1'), ci.TimeoutError)
  const plain = await Sandbox.create('base')
  try {
    await rejected(plain.runCode('1'), ci.TimeoutError)
    await rejected(plain.listCodeContexts(), ci.TimeoutError)
  } finally {
    await plain.kill()
  }
})

run(async () => ({ box: await Sandbox.create(process.env.INTERPRETER, { envs: { OF_BOX: 'yes' } }) }), ({ box }) => box.kill())
