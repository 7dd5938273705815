'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, rejected } = require('./area.cjs')
const { Sandbox, Secret } = e2b

const own = (name) => `${name}-${process.pid}`

check('a secret is kept, changed, listed and destroyed, and never told', async () => {
  const name = own('open-ai-key')
  const made = await Secret.create(name, 'the first value')
  try {
    assert.deepEqual([made.name, made.version, made.metadata], [name, 1, {}])
    assert.equal((await Secret.getInfo(made.secretId)).name, name)
    const updated = await Secret.update(name, 'the second value')
    assert.ok(updated.version > 1 && updated.updatedAt > made.createdAt)
    const infos = []
    const pages = Secret.list({ limit: 1 })
    while (pages.hasNext) infos.push(...(await pages.nextItems()))
    const found = infos.filter((one) => one.name === name)
    assert.equal(found.length, 1)
    assert.doesNotMatch(JSON.stringify(infos), /value/)
    assert.equal(await Secret.exists(name), true)
    await rejected(Secret.create(name, 'x'), e2b.SecretError)
  } finally {
    assert.equal(await Secret.destroy(name), true)
  }
  assert.equal(await Secret.destroy(name), false)
  assert.equal(await Secret.exists(name), false)
  await rejected(Secret.getInfo(name), e2b.SecretNotFoundError)
  await rejected(Secret.update(name, 'x'), e2b.SecretNotFoundError)
})

check('names of all kinds stay apart', async () => {
  const names = ['a-b', 'a_b', 'A_B', 'a.b', 'A-b'].map((name) => `${name}${process.pid}`)
  for (const name of names) await Secret.create(name, 'some value')
  const infos = await Secret.list({ limit: 100 }).nextItems()
  for (const name of names) {
    assert.equal(infos.filter((one) => one.name === name).length, 1, name)
    assert.equal(await Secret.destroy(name), true)
  }
})

check('what is no secret is refused', async () => {
  await rejected(Secret.create('not a name', 'x'), e2b.SecretError)
  await rejected(Secret.create(own('empty'), ''), e2b.SecretError)
  await rejected(Secret.create(own('with-metadata'), 'x', { metadata: { a: 'b' } }), e2b.SecretError)
  await rejected(Secret.list({ limit: 1000 }).nextItems(), e2b.SecretError)
  assert.equal(Secret.fill('x'), '${e2b.secrets.x}')
  assert.deepEqual(Secret.iamToken({ audience: 'a', tokenType: 'JWT-SVID' }), { audience: 'a', tokenType: 'JWT-SVID' })
})

check('rules put a secret into headers, and are shown', async () => {
  const name = own('rule')
  await Secret.create(name, 'hidden value')
  const box = await Sandbox.create()
  try {
    const rules = { 'api.test': [{ transform: { headers: { Authorization: `Bearer ${Secret.fill(name)}`, 'X-Key': Secret.fill(name) } } }] }
    await box.updateNetwork({ rules })
    assert.deepEqual((await box.getInfo()).network.rules, rules)
    await box.updateNetwork({})
    assert.deepEqual((await box.getInfo()).network.rules ?? {}, {})
    const literal = { 'api.test': [{ transform: { headers: { 'X-Key': 'sk-literal-value' } } }] }
    await box.updateNetwork({ rules: literal })
    assert.deepEqual((await box.getInfo()).network.rules, { 'api.test': [{ transform: { headers: { 'X-Key': '***' } } }] })
    assert.ok((await Secret.list({ limit: 100 }).nextItems()).every((one) => !one.name.startsWith('E2BV_')))
    const mixed = { 'api.test': [{ transform: { headers: { 'X-Key': `sk-literal ${Secret.fill(name)}` } } }] }
    const error = await rejected(box.updateNetwork({ rules: mixed }), e2b.SandboxError)
    assert.doesNotMatch(error.message, /sk-literal/)
    await rejected(box.updateNetwork({ rules: { '*': rules['api.test'] } }), e2b.SandboxError)
    await rejected(box.updateNetwork({ rules: { 'api.test': [{ transform: { headers: { 'X-Key': Secret.fill('no-such') } } }] } }), e2b.SandboxError)
  } finally {
    await box.kill()
    await Secret.destroy(name)
  }
})

run(async () => ({}), async () => {})
