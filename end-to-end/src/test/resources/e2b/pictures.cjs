// What the template code-interpreter-v1 has beyond the interpreter: tables, pictures, all languages.
'use strict'
const assert = require('node:assert')
const ci = require('@e2b/code-interpreter')
const { check, run } = require('./area.cjs')
const { Sandbox } = ci

const shown = async (box, code) => {
  const execution = await box.runCode(code, { timeoutMs: 60_000 })
  assert.equal(execution.error, undefined, execution.error && execution.error.traceback)
  return execution.results.at(-1)
}
const plot = (code) => `import matplotlib.pyplot as plt\nplt.figure()\n${code}\nplt.show()`

check('a table is data', async ({ box }) => {
  const result = await shown(box, "import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': ['x', None]})")
  assert.deepEqual(result.data, { a: [1, 2], b: ['x', null] })
  assert.match(result.html, /<table/)
  assert.match(result.text, /a/)
})

check('a picture has its numbers', async ({ box }) => {
  const result = await shown(box, plot("plt.plot([1, 2], [3, 4], label='speed')\nplt.title('t')\nplt.xlabel('time (s)')\nplt.ylabel('way (m)')"))
  assert.ok(Buffer.from(result.png, 'base64').subarray(1, 4).equals(Buffer.from('PNG')))
  const { chart } = result
  assert.deepEqual([chart.type, chart.title, chart.x_label, chart.x_unit, chart.y_label, chart.y_unit], ['line', 't', 'time (s)', 's', 'way (m)', 'm'])
  assert.deepEqual(chart.elements, [{ label: 'speed', points: [[1, 3], [2, 4]] }])
  assert.deepEqual([chart.x_scale, chart.y_scale], ['linear', 'linear'])
  assert.equal(chart.x_ticks.length, chart.x_tick_labels.length)
})

check('charts of every kind are told', async ({ box }) => {
  const of = async (code) => (await shown(box, plot(code))).chart
  assert.deepEqual((await of('plt.scatter([1, 2], [5, 6])')).elements[0].points, [[1, 5], [2, 6]])
  const bar = await of("plt.bar(['p', 'q'], [5, 7], label='g')")
  assert.equal(bar.type, 'bar')
  assert.deepEqual(bar.elements.map((one) => [one.label, one.value, one.group]), [['p', 5, 'g'], ['q', 7, 'g']])
  const pie = await of("plt.pie([1, 3], labels=['p', 'q'])")
  assert.deepEqual(pie.elements.map((one) => [one.label, Math.round(one.angle)]), [['p', 90], ['q', 270]])
  const box_ = await of("plt.boxplot([[1, 2, 3, 4, 99]], labels=['b'])")
  assert.equal(box_.type, 'box_and_whisker')
  assert.deepEqual([box_.elements[0].label, box_.elements[0].median, box_.elements[0].outliers], ['b', 3, [99]])
  const two = await of("_, axes = plt.subplots(1, 2)\naxes[0].plot([1, 2])\naxes[1].bar(['a'], [1])")
  assert.deepEqual([two.type, two.elements.map((one) => one.type)], ['superchart', ['line', 'bar']])
  const dates = await of("import datetime\nplt.plot([datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)], [1, 2])")
  assert.equal(dates.x_scale, 'datetime')
  assert.match(String(dates.elements[0].points[0][0]), /2026-01-01/)
  assert.equal((await of('plt.plot([1, 10], [1, 100])\nplt.yscale("log")')).y_scale, 'log')
  assert.equal((await of('plt.imshow([[1, 2], [3, 4]])')).type, 'unknown')
})

check('a picture that is not shown is shown at the end', async ({ box }) => {
  const execution = await box.runCode('import matplotlib.pyplot as plt\nplt.plot([1, 2]);')
  assert.equal(execution.results.filter((one) => one.png).length, 1)
})

check('all other forms come too', async ({ box }) => {
  const all = `from IPython.display import display, HTML, Markdown, SVG, Latex, JSON, Javascript
display(HTML('<b>h</b>')); display(Markdown('*m*')); display(SVG('<svg xmlns="http://www.w3.org/2000/svg"/>'))
display(Latex('$x$')); display(JSON({'a': 1})); display(Javascript('alert(1)'))`
  const { results, error } = await box.runCode(all)
  assert.equal(error, undefined)
  const forms = results.flatMap((one) => [...one.formats()])
  for (const form of ['html', 'markdown', 'svg', 'latex', 'json', 'javascript']) assert.ok(forms.includes(form), `${form} of ${forms}`)
  const pdf = await shown(box, "class P:\n  def _repr_pdf_(self): return b'%PDF-1.4'\nP()")
  assert.equal(Buffer.from(pdf.pdf, 'base64').toString(), '%PDF-1.4')
  const jpeg = await shown(box, 'import io\nfrom PIL import Image\nb = io.BytesIO(); Image.new("RGB", (2, 2)).save(b, "JPEG")\nfrom IPython.display import Image as Shown\nShown(data=b.getvalue(), format="jpeg")')
  assert.ok(Buffer.from(jpeg.jpeg, 'base64').length > 100)
})

check('magic, shell and installed packages work', async ({ box }) => {
  assert.equal((await box.runCode('!echo $((40 + 2))')).logs.stdout.join('').trim(), '42')
  assert.ok((await box.runCode('%timeit -n1 -r1 1+1')).logs.stdout.join('').includes('per loop'))
  assert.equal((await box.runCode('import numpy as np\nint(np.arange(4).sum())')).text, '6')
  assert.equal((await box.runCode('import asyncio\nawait asyncio.sleep(0)\n5')).text, '5')
})

check('every language remembers', async ({ box }) => {
  const cells = {
    javascript: ['let j = 20', 'j + 1', '21'],
    typescript: ['const t: number = 5', 't + 1', '6'],
    java: ['int z = 20;', 'z * 2', '40'],
    r: ['v <- c(1, 2, 3)', 'mean(v)', '[1] 2'],
  }
  for (const [language, [first, second, text]] of Object.entries(cells)) {
    const begun = await box.runCode(first, { language, timeoutMs: 60_000 })
    assert.equal(begun.error, undefined, `${language}: ${begun.error && begun.error.value}`)
    assert.equal((await box.runCode(second, { language })).text, text, language)
  }
  assert.equal((await box.runCode('1 / 0', { language: 'java' })).error.name, 'java.lang.ArithmeticException')
  await box.runCode('n=5', { language: 'bash' })
  assert.equal((await box.runCode('echo $((n + 1))', { language: 'bash' })).logs.stdout.join(''), '6\n')
})

check('everybody is root who wants to be', async ({ box }) => {
  assert.equal((await box.commands.run('sudo whoami; id -un; node --version >/dev/null && git --version >/dev/null && curl --version >/dev/null && python3 -m pip --version >/dev/null && echo all')).stdout, 'root\nuser\nall\n')
})

run(async () => ({ box: await Sandbox.create() }), ({ box }) => box.kill())
