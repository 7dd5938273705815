// Runs cells of JavaScript and TypeScript in one global scope, with Node's own read-eval-print loop:
// it knows how to let declarations last and how to await at the top level.
'use strict'
const fs = require('fs')
const repl = require('repl')
const util = require('util')
const { PassThrough } = require('stream')
const { spawnSync } = require('child_process')

const pack = text => Buffer.from(text, 'utf8').toString('base64') || '='
const unpack = word => (word === '=' ? '' : Buffer.from(word, 'base64').toString('utf8'))

function tell(...words) {
  let data = Buffer.from(words.join(' ') + '\n', 'latin1')
  while (data.length > 0) data = data.subarray(fs.writeSync(4, data))
}

function tellBundle(main, content) {
  const words = Object.entries(content).flatMap(([type, value]) => [
    type, pack(typeof value === 'string' ? value : JSON.stringify(value))])
  tell('result', main ? '1' : '0', ...words)
}

const loop = repl.start({
  input: new PassThrough(), output: new PassThrough(), terminal: false, useGlobal: true,
  breakEvalOnSigint: true, ignoreUndefined: true,
})
loop.output.resume()
loop.setPrompt('')

// Something to show beside a cell's own value: display(value), or display.html(text) and its like.
const shown = { html: 'text/html', markdown: 'text/markdown', svg: 'image/svg+xml', png: 'image/png',
  jpeg: 'image/jpeg', pdf: 'application/pdf', latex: 'text/latex', json: 'application/json',
  javascript: 'application/javascript' }
global.display = value => tellBundle(false, { 'text/plain': util.inspect(value) })
for (const [name, type] of Object.entries(shown)) {
  global.display[name] = content => tellBundle(false, { [type]: content })
}
global.require = require('module').createRequire(process.cwd() + '/')

// import x, {y as z} from 'm' becomes a declaration that lasts.
function importsAwaited(code) {
  return code
    .replace(/^[ \t]*import\s+([^'"();]+?)\s+from\s+(['"][^'"]+['"])\s*;?/gm, (_, names, module) => {
      const parts = []
      let rest = names.replace(/\*\s+as\s+([\w$]+)/, (_, whole) => {
        parts.push(`${whole} = await import(${module})`)
        return ''
      })
      const fields = []
      rest = rest.replace(/\{([^}]*)\}/, (_, list) => {
        for (const one of list.split(',').map(s => s.trim()).filter(Boolean)) {
          fields.push(one.replace(/\s+as\s+/, ': '))
        }
        return ''
      })
      const own = rest.replace(/,/g, '').trim()
      if (own) fields.push(`default: ${own}`)
      if (fields.length) parts.push(`{ ${fields.join(', ')} } = await import(${module})`)
      return parts.map(part => `var ${part}`).join('; ') + ';'
    })
    .replace(/^[ \t]*import\s+(['"][^'"]+['"])\s*;?/gm, 'await import($1);')
}

function withoutTypes(code) {
  const run = spawnSync('esbuild', ['--loader=ts', '--target=es2022', '--log-level=error',
    '--tsconfig-raw={"compilerOptions":{"importsNotUsedAsValues":"preserve","preserveValueImports":true}}'],
  { input: code, encoding: 'utf8' })
  if (run.error) throw new Error('TypeScript needs esbuild, which this template does not have')
  if (run.status !== 0) throw new SyntaxError(run.stderr.trim())
  return run.stdout
}

const MARK = '//typescript\n'
let cancel = null
process.on('SIGINT', () => { if (cancel) cancel() })

function evaluate(code, name) {
  return new Promise((resolve, reject) => {
    cancel = () => reject(new Error('The code was interrupted'))
    loop.eval(code, loop.context, name, (error, value) => (error ? reject(error) : resolve(value)))
  })
}

// What goes wrong after its cell has ended, or in a callback, is for the one that is running to hear.
let failed = null
process.on('uncaughtException', error => { failed ? failed(error) : console.error(error) })
process.on('unhandledRejection', error => { failed ? failed(error) : console.error(error) })
loop._domain?.on('error', error => { failed ? failed(error) : console.error(error) })

async function run(count, code, variables) {
  const before = { ...process.env }
  for (const variable of variables) {
    const at = variable.indexOf('=')
    process.env[variable.slice(0, at)] = variable.slice(at + 1)
  }
  try {
    if (code.startsWith(MARK)) code = withoutTypes(code.slice(MARK.length))
    const failure = new Promise((_, reject) => { failed = reject }) // first: it may fail at once
    const value = await Promise.race([failure, evaluate(importsAwaited(code), `cell${count}.js`)])
    if (value !== undefined) tellBundle(true, { 'text/plain': util.inspect(value) })
  } catch (thrown) {
    const error = thrown && thrown.err ? thrown.err : thrown // what the loop takes for half a cell
    const isError = error instanceof Error || util.types.isNativeError(error)
    tell('error', pack(isError ? error.name : 'Error'), pack(isError ? error.message : util.inspect(error)),
      pack(isError ? String(error.stack) : util.inspect(error)))
  }
  failed = null
  cancel = null
  if (variables.length) {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
    Object.assign(process.env, before)
  }
  tell('done')
}

let waiting = Promise.resolve()
let rest = ''
const requests = fs.createReadStream(null, { fd: 3 })
requests.on('data', data => {
  const lines = (rest + data.toString('latin1')).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const [, count, code, ...variables] = line.split(' ')
    waiting = waiting.then(() => run(count, unpack(code), variables.map(unpack)))
  }
})
requests.on('end', () => process.exit(0))
