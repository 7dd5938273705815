'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, rejected, until } = require('./area.cjs')
const { Sandbox } = e2b

check('commands.run gives output and exit code', async ({ box }) => {
  const result = await box.commands.run('echo out; echo err >&2')
  assert.equal(result.exitCode, 0)
  assert.equal(result.stdout, 'out\n')
  assert.equal(result.stderr, 'err\n')
})

check('commands.run of a failing command throws CommandExitError', async ({ box }) => {
  const error = await rejected(box.commands.run('echo no; exit 3'), e2b.CommandExitError)
  assert.equal(error.exitCode, 3)
  assert.equal(error.stdout, 'no\n')
  assert.equal(error.message, 'exit status 3')
})

check('commands.run tells output as it comes', async ({ box }) => {
  const heard = []
  await box.commands.run('for i in 1 2 3; do echo $i; sleep 0.05; done', { onStdout: (text) => heard.push(text) })
  assert.equal(heard.join(''), '1\n2\n3\n')
  assert.ok(heard.length >= 2)
})

check('commands.run passes broken UTF-8 and long output on', async ({ box }) => {
  const result = await box.commands.run("printf 'a\\377b'; head -c 300000 /dev/zero | tr '\\0' x")
  assert.equal(result.stdout.length, 300_003)
  assert.ok(result.stdout.startsWith('a\ufffdb'))
})

check('commands.run has environment, folder and user', async ({ box }) => {
  const result = await box.commands.run('echo $WHO $FROM_BOX $E2B_SANDBOX $E2B_SANDBOX_ID; pwd; whoami', {
    envs: { WHO: 'me' },
    cwd: '/tmp',
  })
  assert.equal(result.stdout, `me the-box true ${box.sandboxId}\n/tmp\nuser\n`)
  const root = await box.commands.run('whoami; echo $HOME', { user: 'root' })
  assert.equal(root.stdout, 'root\n/root\n')
})

check('a folder that is not there and an unknown user are told', async ({ box }) => {
  const folder = await rejected(box.commands.run('true', { cwd: '/no/such' }), e2b.InvalidArgumentError)
  assert.match(folder.message, /cwd '\/no\/such' does not exist/)
  const user = await rejected(box.commands.run('true', { user: 'nobody-knows' }), e2b.AuthenticationError)
  assert.match(user.message, /invalid username: 'nobody-knows'/)
})

check('a command runs out of its time and is killed', async ({ box }) => {
  await rejected(box.commands.run('echo $$ > /tmp/timed; exec sleep 60', { timeoutMs: 400 }), e2b.TimeoutError)
  const pid = (await box.files.read('/tmp/timed')).trim()
  await until('its end', async () => (await box.commands.run(`kill -0 ${pid} 2>/dev/null; echo $?`)).stdout !== '0\n')
})

check('a command in the background is listed, written to and awaited', async ({ box }) => {
  const command = await box.commands.run('cat; echo end', { background: true, stdin: true, envs: { X: 'y' } })
  const listed = (await box.commands.list()).find((one) => one.pid === command.pid)
  assert.ok(listed)
  assert.equal(listed.cmd, '/bin/bash')
  assert.deepEqual(listed.args, ['-l', '-c', 'cat; echo end'])
  assert.equal(listed.envs.X, 'y')
  await box.commands.sendStdin(command.pid, 'hello\n')
  await until('the echo', () => command.stdout === 'hello\n')
  await box.commands.closeStdin(command.pid)
  await rejected(box.commands.sendStdin(999_999, 'x'), e2b.NotFoundError)
  await rejected(box.commands.closeStdin(999_999), e2b.NotFoundError)
  const result = await command.wait()
  assert.equal(result.stdout, 'hello\nend\n')
  assert.ok(!(await box.commands.list()).some((one) => one.pid === command.pid))
})

check('a command is written to, closed and killed by its handle', async ({ box }) => {
  const reader = await box.commands.run('cat', { background: true, stdin: true })
  await reader.sendStdin('by handle')
  await reader.closeStdin()
  assert.equal((await reader.wait()).stdout, 'by handle')
  const sleeper = await box.commands.run('sleep 60', { background: true })
  assert.equal(await sleeper.kill(), true)
  await rejected(sleeper.wait(), e2b.CommandExitError)
  assert.equal(await sleeper.kill(), false)
})

check('a command is killed, once', async ({ box }) => {
  const command = await box.commands.run('sleep 60', { background: true })
  assert.equal(await box.commands.kill(command.pid), true)
  const error = await rejected(command.wait(), e2b.CommandExitError)
  assert.equal(error.message, 'signal: killed')
  assert.equal(await box.commands.kill(command.pid), false)
})

check('two clients listen to one command, and it outlives them', async ({ box }) => {
  const first = await box.commands.run('read line; echo heard $line; sleep 0.1; exit 7', { background: true, stdin: true })
  const second = await box.commands.connect(first.pid)
  await box.commands.sendStdin(first.pid, 'you\n')
  const error = await rejected(first.wait(), e2b.CommandExitError)
  assert.equal(error.exitCode, 7)
  const other = await rejected(second.wait(), e2b.CommandExitError)
  assert.equal(other.stdout, 'heard you\n')
  const late = await box.commands.connect(first.pid)
  assert.equal((await rejected(late.wait(), e2b.CommandExitError)).exitCode, 7)
})

check('a client that leaves does not end its command', async ({ box }) => {
  const command = await box.commands.run('sleep 0.3; echo done > /tmp/outlived', { background: true })
  await command.disconnect()
  await until('the file', () => box.files.exists('/tmp/outlived'))
})

check('connecting to no process fails', async ({ box }) => {
  await rejected(box.commands.connect(999_999), e2b.NotFoundError)
})

check('a terminal is created, typed into, resized and ends', async ({ box }) => {
  let seen = ''
  const pty = await box.pty.create({ cols: 80, rows: 24, onData: (bytes) => (seen += Buffer.from(bytes).toString()), timeoutMs: 0 })
  await box.pty.sendInput(pty.pid, Buffer.from('stty size; tty; echo $TERM\n'))
  await until('its size', () => /24 80/.test(seen) && /xterm-256color/.test(seen))
  await box.pty.resize(pty.pid, { cols: 100, rows: 30 })
  await box.pty.sendInput(pty.pid, Buffer.from('stty size\n'))
  await until('its new size', () => /30 100/.test(seen))
  await box.pty.sendInput(pty.pid, Buffer.from('exit\n'))
  assert.equal((await pty.wait()).exitCode, 0)
})

check('a terminal is killed, and another client sees it', async ({ box }) => {
  let seen = ''
  const pty = await box.pty.create({ cols: 80, rows: 24, onData: () => {}, timeoutMs: 0 })
  await box.pty.connect(pty.pid, { onData: (bytes) => (seen += Buffer.from(bytes).toString()), timeoutMs: 0 })
  await box.pty.sendInput(pty.pid, Buffer.from('echo a-$((40+2))\n'))
  await until('what was typed', () => seen.includes('a-42'))
  assert.equal(await box.pty.kill(pty.pid), true)
  await until('its end', async () => !(await box.pty.kill(pty.pid)))
  await rejected(box.pty.connect(999_999, { onData: () => {} }), e2b.NotFoundError)
  await rejected(box.pty.sendInput(999_999, Buffer.from('x')), e2b.NotFoundError)
  await rejected(box.pty.resize(999_999, { cols: 1, rows: 1 }), e2b.NotFoundError)
  await rejected(box.pty.create({ cols: 80, rows: 24, onData: () => {}, user: 'nobody-knows' }), e2b.AuthenticationError)
})

check('many commands at once', async ({ box }) => {
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, i) => box.commands.run(`sleep 0.2; echo ${i}`)))
  results.forEach((result, i) => assert.equal(result.stdout, `${i}\n`))
})

run(
  async () => ({ box: await Sandbox.create({ envs: { FROM_BOX: 'the-box' } }) }),
  ({ box }) => box.kill())
