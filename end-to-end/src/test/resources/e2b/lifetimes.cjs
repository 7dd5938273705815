'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, rejected, until } = require('./area.cjs')
const { Sandbox } = e2b

const left = async (box) => ((await Sandbox.getInfo(box.sandboxId)).endAt - Date.now()) / 1000
const near = (seconds, wanted) => assert.ok(Math.abs(seconds - wanted) < 20, `${seconds} is not about ${wanted}`)

check('a sandbox lives for five minutes unless it is told otherwise', async () => {
  const box = await Sandbox.create()
  near(await left(box), 300)
  await box.setTimeout(900_000)
  near(await left(box), 900)
  await box.setTimeout(60_000)
  near(await left(box), 60)
  await Sandbox.connect(box.sandboxId, { timeoutMs: 30_000 })
  near(await left(box), 60)
  await Sandbox.connect(box.sandboxId, { timeoutMs: 600_000 })
  near(await left(box), 600)
  await rejected(Sandbox.setTimeout('nosuchsandbox1', 1000), e2b.NotFoundError)
  await box.kill()
})

check('a sandbox is killed when its time is over, and its streams are cut', async () => {
  const box = await Sandbox.create({ timeoutMs: 2_000 })
  const error = await rejected(box.commands.run('sleep 60'), Error)
  assert.ok(error instanceof e2b.TimeoutError || error instanceof e2b.SandboxError, error.stack)
  await until('its end', async () => !(await box.isRunning()))
  await rejected(Sandbox.getInfo(box.sandboxId), e2b.NotFoundError)
})

check('one that pauses at its end goes on when it is connected to', async () => {
  const box = await Sandbox.create({ timeoutMs: 2_000, lifecycle: { onTimeout: 'pause' } })
  await box.files.write('kept', 'yes')
  await until('its pause', async () => (await Sandbox.getInfo(box.sandboxId)).state === 'paused')
  await box.connect({ timeoutMs: 120_000 })
  near(await left(box), 120)
  assert.equal(await box.files.read('kept'), 'yes')
  await box.kill()
})

check('one that rests has no end', async () => {
  const box = await Sandbox.create({ timeoutMs: 2_000 })
  await box.pause()
  await new Promise((done) => setTimeout(done, 3_500))
  assert.equal((await Sandbox.getInfo(box.sandboxId)).state, 'paused')
  await box.connect({ timeoutMs: 60_000 })
  near(await left(box), 60)
  await box.kill()
})

check('one that resumes by itself answers a call', async () => {
  const box = await Sandbox.create({ lifecycle: { onTimeout: 'pause', autoResume: true } })
  assert.deepEqual((await box.getInfo()).lifecycle, { onTimeout: 'pause', autoResume: true })
  await box.pause()
  assert.equal((await box.commands.run('echo awake')).stdout, 'awake\n')
  near(await left(box), 300)
  await box.kill()
})

check('files are kept when memory is not', async () => {
  const box = await Sandbox.create()
  await box.files.write('kept', 'yes')
  const command = await box.commands.run('sleep 600', { background: true })
  await command.disconnect()
  const boot = () => box.files.read('/proc/sys/kernel/random/boot_id')
  const first = await boot()
  await box.pause()
  await box.connect()
  assert.equal(await boot(), first)
  await box.pause({ keepMemory: false })
  await box.connect()
  assert.notEqual(await boot(), first)
  assert.equal(await box.files.read('kept'), 'yes')
  assert.ok(!(await box.commands.list()).some((one) => one.args.includes('sleep 600')))
  await box.kill()
})

check('what it used is known over time', async () => {
  const box = await Sandbox.create({ timeoutMs: 120_000 })
  const begin = new Date()
  await box.commands.run('while true; do :; done', { background: true, timeoutMs: 0 })
  let samples = []
  while (samples.length < 3 && new Date() - begin < 60_000) {
    await new Promise((done) => setTimeout(done, 1_000))
    samples = await box.getMetrics()
  }
  assert.ok(samples.length >= 3, `${samples.length} samples in a minute`)
  for (let i = 1; i < samples.length; i++) assert.ok(samples[i - 1].timestamp <= samples[i].timestamp)
  assert.ok(samples.some((one) => one.cpuUsedPct > 0))
  assert.deepEqual(await box.getMetrics({ end: new Date(begin - 60_000) }), [])
  assert.equal((await box.getMetrics({ start: samples[1].timestamp })).some((one) => one.timestamp < samples[1].timestamp), false)
  await box.kill()
})

run(async () => ({}), async () => {})
