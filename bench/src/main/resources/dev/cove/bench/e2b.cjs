// What E2B's own client sees of a server. Prints "name milliseconds", a line for each time.
'use strict'
const fs = require('node:fs')
const { Sandbox } = require('e2b')

const rounds = Number(process.argv[2])
const megabytes = Number(process.argv[3])
const streams = Number(process.argv[4])

async function time(name, work) {
  const start = process.hrtime.bigint()
  const result = await work()
  console.log(name, Number(process.hrtime.bigint() - start) / 1e6)
  return result
}

async function native(method, path, body) {
  const answer = await fetch(process.env.NATIVE_URL + '/api/v1/sandboxes' + path, {
    method,
    headers: { Authorization: 'Bearer ' + process.env.NATIVE_KEY, 'Content-Type': 'application/json' },
    body,
  })
  if (!answer.ok) throw new Error(method + ' gave ' + answer.status)
  return answer.status === 204 ? undefined : answer.json()
}

async function creations() {
  for (let i = 0; i < rounds; i++) {
    const ours = await time('native', () => native('POST', '', '{}'))
    await native('DELETE', '/' + ours.id)
    const theirs = await time('create', () => Sandbox.create())
    await theirs.kill()
  }
}

const resident = () =>
  Number(fs.readFileSync(`/proc/${process.env.SERVER_PID}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024

/** How much more memory the server has at any moment of something than before it. */
async function growth(work) {
  const before = resident()
  let most = before
  const look = setInterval(() => (most = Math.max(most, resident())), 20)
  await work()
  clearInterval(look)
  console.log('memory', Math.max(most, resident()) - before)
}

async function large(box, megabytes, time) {
  const piece = new Uint8Array(1 << 20).fill(113)
  let left = megabytes
  await time('upload', () => box.files.write('large', new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
  })))
  let length = 0
  await time('download', async () => {
    for await (const some of await box.files.read('large', { format: 'stream' })) length += some.length
  })
  if (length !== megabytes << 20) throw new Error(length + ' bytes came back')
}

async function parallel(box) {
  const heard = new Array(streams).fill('')
  await time('streams', async () => {
    const commands = await Promise.all(heard.map((_, i) => box.commands.run(`echo ${i}; read line; echo $line`, {
      background: true, stdin: true, timeoutMs: 0, onStdout: (text) => (heard[i] += text),
    })))
    await Promise.all(commands.map((command, i) => command.sendStdin(`${i}\n`)))
    await Promise.all(commands.map((command) => command.wait()))
  })
  heard.forEach((text, i) => {
    if (text !== `${i}\n${i}\n`) throw new Error('stream ' + i + ' said ' + text)
  })
}

async function main() {
  await creations()
  const box = await Sandbox.create()
  for (let i = 0; i < rounds; i++) await time('run', () => box.commands.run('true'))
  await large(box, 64, (_, work) => work()) // so that it is compiled, and its buffers are there
  await growth(() => large(box, megabytes, time))
  await parallel(box)
  await box.kill()
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
