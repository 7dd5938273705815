'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, rejected, until } = require('./area.cjs')
const { Sandbox } = e2b

const mark = `mark-${process.pid}-${Date.now()}`
const all = async (paginator) => {
  const items = []
  while (paginator.hasNext) items.push(...(await paginator.nextItems()))
  return items
}

check('a sandbox is created, found and described', async ({ box, mine }) => {
  assert.match(box.sandboxId, /^[a-z0-9]+$/)
  assert.equal(await box.isRunning(), true)
  const info = await box.getInfo()
  assert.equal(info.sandboxId, box.sandboxId)
  assert.equal(info.templateId, 'base')
  assert.equal(info.state, 'running')
  assert.deepEqual(info.metadata, { mark, 'user id': 'a&b', long: 'x'.repeat(2000), '': 'empty' })
  assert.ok(info.startedAt instanceof Date && info.endAt instanceof Date)
  assert.ok(info.cpuCount >= 1 && info.memoryMB > 0)
})

check('sandboxes are listed by metadata and state, page by page', async ({ box }) => {
  const found = await all(Sandbox.list({ query: { metadata: { mark, 'user id': 'a&b' } } }))
  assert.deepEqual(found.map((one) => one.sandboxId), [box.sandboxId])
  assert.deepEqual(await all(Sandbox.list({ query: { metadata: { mark, 'user id': 'other' } } })), [])
  assert.deepEqual(await all(Sandbox.list({ query: { metadata: { mark }, state: ['paused'] } })), [])
  const more = await Promise.all([1, 2].map((n) => Sandbox.create({ metadata: { mark, n: `${n}` } })))
  try {
    const paginator = Sandbox.list({ query: { metadata: { mark } }, limit: 2 })
    const first = await paginator.nextItems()
    assert.equal(first.length, 2)
    assert.equal(paginator.hasNext, true)
    const second = await paginator.nextItems()
    assert.equal(second.length, 1)
    assert.equal(second[0].sandboxId, box.sandboxId)
    assert.equal(paginator.hasNext, false)
  } finally {
    await Promise.all(more.map((one) => one.kill()))
  }
})

check('another client connects', async ({ box }) => {
  await box.files.write('shared.txt', 'from one')
  const other = await Sandbox.connect(box.sandboxId)
  assert.equal(await other.files.read('shared.txt'), 'from one')
  await rejected(Sandbox.connect('nosuchsandbox1'), e2b.NotFoundError)
})

check('a sandbox is paused with all that runs in it, and resumed', async () => {
  const box = await Sandbox.create()
  try {
    // A rename, so that whoever reads finds a whole number.
    const command = await box.commands.run(
      'n=0; while true; do n=$((n+1)); echo $n > /tmp/n.new; mv /tmp/n.new /tmp/n; sleep 0.02; done',
      { background: true })
    const pid = command.pid
    await command.disconnect()
    await until('it to count', () => box.files.exists('/tmp/n'))
    const paused = await box.pause()
    assert.equal(paused, true)
    assert.equal(await Sandbox.pause(box.sandboxId), false)
    assert.equal((await Sandbox.getInfo(box.sandboxId)).state, 'paused')
    assert.equal(await box.isRunning(), false)
    await rejected(box.commands.run('true'), e2b.SandboxError)
    const same = await box.connect()
    assert.equal(same.sandboxId, box.sandboxId)
    assert.equal(await box.isRunning(), true)
    assert.ok((await box.commands.list()).some((one) => one.pid === pid))
    const before = Number(await box.files.read('/tmp/n'))
    await until('it to go on', async () => Number(await box.files.read('/tmp/n')) > before)
    await box.commands.kill(pid)
  } finally {
    assert.equal(await box.kill(), true)
  }
  assert.equal(await box.kill(), false)
})

check('a sandbox that was killed is gone', async () => {
  const box = await Sandbox.create()
  assert.equal(await Sandbox.kill(box.sandboxId), true)
  assert.equal(await box.isRunning(), false)
  await rejected(box.commands.run('true'), e2b.SandboxError)
  await rejected(Sandbox.getInfo(box.sandboxId), e2b.NotFoundError)
  assert.equal(await Sandbox.kill(box.sandboxId), false)
})

check('the methods of the class do the same as those of a handle', async () => {
  const box = await Sandbox.create({ lifecycle: { onTimeout: 'pause' } })
  const id = box.sandboxId
  try {
    await Sandbox.setTimeout(id, 600_000)
    assert.equal((await Sandbox.getInfo(id)).sandboxId, id)
    assert.equal((await Sandbox.getFullInfo(id)).sandboxId, id)
    assert.ok((await Sandbox.getMetrics(id)).length > 0)
    await Sandbox.updateNetwork(id, { denyOut: ['192.0.2.0/24'] })
    assert.deepEqual((await box.getInfo()).network.denyOut, ['192.0.2.0/24'])
    assert.equal(await Sandbox.betaPause(id), true)
    assert.equal(await box.betaPause(), false)
    await Sandbox.connect(id)
    const [child] = await Sandbox.fork(id)
    assert.equal(await child.kill(), true)
    await rejected(Sandbox.fork('nosuchsandbox1'), e2b.NotFoundError)
    await rejected(Sandbox.getFullInfo('nosuchsandbox1'), e2b.NotFoundError)
    await rejected(Sandbox.getMetrics('nosuchsandbox1'), e2b.NotFoundError)
    await rejected(Sandbox.updateNetwork('nosuchsandbox1', {}), e2b.NotFoundError)
    await rejected(Sandbox.pause('nosuchsandbox1'), e2b.NotFoundError)
    await rejected(Sandbox.betaPause('nosuchsandbox1'), e2b.NotFoundError)
  } finally {
    await box.kill()
  }
})

check('a handle of one that is gone says so, whatever is asked', async () => {
  const box = await Sandbox.create()
  await box.kill()
  await rejected(box.connect(), e2b.NotFoundError)
  await rejected(box.pause(), e2b.NotFoundError)
  await rejected(box.betaPause(), e2b.NotFoundError)
  await rejected(box.fork(), e2b.NotFoundError)
  await rejected(box.setTimeout(1000), e2b.NotFoundError)
  await rejected(box.updateNetwork({}), e2b.NotFoundError)
  await rejected(box.createSnapshot(), e2b.NotFoundError)
  await rejected(box.getInfo(), e2b.NotFoundError)
  await rejected(box.getMetrics(), e2b.NotFoundError)
  await rejected(box.commands.list(), e2b.TimeoutError)
  await rejected(box.files.list('/'), e2b.TimeoutError)
  await rejected(box.pty.create({ cols: 80, rows: 24, onData: () => {} }), e2b.NotFoundError)
})

check('a time that is none, and rules that do not go together, are told', async () => {
  await rejected(Sandbox.create({ timeoutMs: 1000 * 3600 * 24 * 3660 }), e2b.SandboxError)
  await rejected(Sandbox.create({ network: { denyOut: ['example.com'] } }), e2b.SandboxError)
  await rejected(Sandbox.list({ limit: 1000 }).nextItems(), e2b.SandboxError)
})

check('what a sandbox for MCP would need is not here, and it is told', async ({ box }) => {
  await rejected(Sandbox.create({ mcp: { exa: { apiKey: 'x' } } }), e2b.SandboxError)
  assert.match(box.getMcpUrl(), /^https:\/\/50005-.*\/mcp$/)
  await box.files.write('/etc/mcp-gateway/.token', 'the token', { user: 'root' })
  assert.equal(await box.getMcpToken(), 'the token')
})

check('a port has a name', async ({ box }) => {
  assert.match(box.getHost(3000), new RegExp(`^3000-${box.sandboxId}\\.`))
})

check('what it uses is measured', async ({ box }) => {
  const [sample] = await box.getMetrics()
  assert.ok(sample.cpuCount >= 1 && sample.memTotal > 0 && sample.diskTotal > 0)
  assert.ok(sample.memUsed > 0 && sample.cpuUsedPct >= 0)
})

check('a wrong key and an unknown template are told', async () => {
  await rejected(Sandbox.create({ apiKey: 'e2b_' + '0'.repeat(64) }), e2b.AuthenticationError)
  const error = await rejected(Sandbox.create('no-such-template'), e2b.SandboxError)
  assert.match(error.message, /template 'no-such-template' not found/)
})

run(
  async () => ({
    box: await Sandbox.create({ metadata: { mark, 'user id': 'a&b', long: 'x'.repeat(2000), '': 'empty' } }),
  }),
  ({ box }) => box.kill())
