// With a server in the world outside, whose address is in WORLD_URL.
'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run } = require('./area.cjs')
const { Sandbox, Secret } = e2b

check('a request gets the secret on its way out, and the sandbox never has it', async () => {
  await Secret.create('the-api-key', 'sk-live-5d1e9c')
  const box = await Sandbox.create({
    network: {
      denyOut: [e2b.ALL_TRAFFIC],
      allowOut: ['api.test'],
      rules: { 'api.test': [{ transform: { headers: { Authorization: `Bearer ${Secret.fill('the-api-key')}` } } }] },
    },
  })
  try {
    const answer = await box.commands.run(`timeout 60 curl -sS ${process.env.WORLD_URL}`)
    assert.doesNotMatch(answer.stdout, /sk-live/)
    const inside = await box.commands.run('env; cat /etc/environment; grep -rs sk-live /home /etc /tmp | head -1')
    assert.doesNotMatch(inside.stdout, /sk-live/)
    await Secret.update('the-api-key', 'sk-next-77aa01')
    await box.commands.run(`timeout 60 curl -sS ${process.env.WORLD_URL}`)
    await box.updateNetwork({ denyOut: [e2b.ALL_TRAFFIC], allowOut: ['api.test'] })
    await box.commands.run(`timeout 60 curl -sS -k ${process.env.WORLD_URL}`)
  } finally {
    await box.kill()
    await Secret.destroy('the-api-key')
  }
})

check('a value that is written into a rule goes out too, and is forgotten with its sandbox', async () => {
  const box = await Sandbox.create({
    network: {
      denyOut: [e2b.ALL_TRAFFIC],
      allowOut: ['api.test'],
      rules: { 'api.test': [{ transform: { headers: { Authorization: 'Bearer sk-plain-31415926' } } }] },
    },
  })
  try {
    const answer = await box.commands.run(`timeout 60 curl -sS ${process.env.WORLD_URL}`)
    assert.doesNotMatch(answer.stdout, /sk-plain/)
    assert.doesNotMatch(JSON.stringify(await box.getInfo()), /sk-plain/)
  } finally {
    await box.kill()
  }
})

run(async () => ({}), async () => {})
