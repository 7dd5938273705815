// E2B's base, before it is made (STEP is first) and after.
'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, until } = require('./area.cjs')
const { Sandbox, Template } = e2b

if (process.env.STEP === 'first') {
  check('the first sandbox does not wait for it', async () => {
    const box = await Sandbox.create()
    assert.equal((await box.commands.run('whoami')).stdout, 'user\n')
    assert.equal((await box.getInfo()).templateId, 'base')
    await box.kill()
  })

  check('a build upon it begins, and waits', async () => {
    const steps = Template().fromBaseImage().runCmd('sudo id -u > who.txt; cat /etc/debian_version >> who.txt')
    const started = await Template.buildInBackground(steps, 'upon-base')
    assert.equal((await Template.getBuildStatus(started)).status, 'building')
  })
} else {
  check('a sandbox is a Debian with what scripts expect', async () => {
    const box = await Sandbox.create()
    assert.equal((await box.getInfo()).templateId, 'base')
    assert.equal((await box.commands.run('whoami; sudo whoami; pwd')).stdout, 'user\nroot\n/home/user\n')
    await box.commands.run('set -e; curl --version; git --version; node --version; npm --version; python3 --version; python3 -m pip --version; test -f /etc/debian_version')
    await box.commands.run('sudo sh -c "echo mine > /etc/mine"; cat /etc/mine')
    await box.kill()
  })

  check('the build went on with it', async () => {
    await until('the template', () => Template.exists('upon-base'))
    const box = await Sandbox.create('upon-base')
    assert.match(await box.files.read('who.txt'), /^0\n[0-9]+\./)
    await box.kill()
  })
}

run(async () => ({}), async () => {})
