// Much at once: as many megabytes as MEGABYTES says, there and back, or as many streams as STREAMS says.
'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run } = require('./area.cjs')
const { Sandbox } = e2b

const megabytes = Number(process.env.MEGABYTES ?? 0)
const streams = Number(process.env.STREAMS ?? 0)

if (megabytes > 0) {
  check('a large file goes up and down', async ({ box }) => {
    let left = megabytes
    const piece = new Uint8Array(1 << 20).fill(113)
    await box.files.write('large', new ReadableStream({
      pull: (controller) => (left-- > 0 ? controller.enqueue(piece.slice()) : controller.close()),
    }))
    let length = 0
    for await (const some of await box.files.read('large', { format: 'stream' })) length += some.length
    assert.equal(length, megabytes << 20)
  })
}

if (streams > 0) {
  check('many commands stream at once', async ({ box }) => {
    const heard = new Array(streams).fill('')
    const commands = await Promise.all(heard.map((_, i) => box.commands.run(`echo begin ${i}; read line; echo end $line`, {
      background: true, stdin: true, timeoutMs: 0, onStdout: (text) => (heard[i] += text),
    })))
    assert.equal((await box.commands.list()).length, streams) // so all of them run at once
    await Promise.all(commands.map((command, i) => command.sendStdin(`${i}\n`)))
    await Promise.all(commands.map((command) => command.wait()))
    heard.forEach((text, i) => assert.equal(text, `begin ${i}\nend ${i}\n`))
  })
}

run(async () => ({ box: await Sandbox.create() }), ({ box }) => box.kill())
