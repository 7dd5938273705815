'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, rejected } = require('./area.cjs')
const { Sandbox } = e2b

const WORK = '/home/user/work'
const OTHER = '/home/user/other'

check('a repository is made, filled and described', async ({ box }) => {
  await box.git.configureUser('Ann', 'ann@example.com')
  assert.equal(await box.git.getConfig('user.name', { scope: 'global' }), 'Ann')
  await box.git.init('/home/user/origin.git', { bare: true, initialBranch: 'main' })
  await box.git.init(WORK, { initialBranch: 'main' })
  await box.git.remoteAdd(WORK, 'origin', '/home/user/origin.git')
  assert.equal(await box.git.remoteGet(WORK, 'origin'), '/home/user/origin.git')
  await box.files.write(`${WORK}/a.txt`, 'one')
  const before = await box.git.status(WORK)
  assert.deepEqual(before.fileStatus.map((one) => [one.name, one.status]), [['a.txt', 'untracked']])
  await box.git.add(WORK)
  await box.git.commit(WORK, 'The first', { authorName: 'Ben', authorEmail: 'ben@example.com' })
  assert.equal((await box.git.status(WORK)).isClean, true)
  assert.equal((await box.commands.run(`git -C ${WORK} log --format=%an`)).stdout, 'Ben\n')
  await rejected(box.git.commit('/tmp', 'none'), e2b.CommandExitError)
})

check('branches come and go', async ({ box }) => {
  await box.git.createBranch(WORK, 'side')
  assert.equal((await box.git.branches(WORK)).currentBranch, 'side')
  await box.git.checkoutBranch(WORK, 'main')
  await box.git.deleteBranch(WORK, 'side')
  assert.deepEqual((await box.git.branches(WORK)).branches, ['main'])
  await rejected(box.git.checkoutBranch(WORK, 'nowhere'), e2b.CommandExitError)
})

check('changes are taken back', async ({ box }) => {
  await box.files.write(`${WORK}/a.txt`, 'two')
  await box.git.add(WORK, { files: ['a.txt'] })
  await box.git.reset(WORK)
  assert.equal((await box.git.status(WORK)).fileStatus[0].staged, false)
  await box.git.restore(WORK, { paths: ['a.txt'] })
  assert.equal(await box.files.read(`${WORK}/a.txt`), 'one')
})

check('a repository is pushed, cloned and pulled', async ({ box }) => {
  await rejected(box.git.push(WORK, { setUpstream: false }), e2b.GitUpstreamError)
  await box.git.push(WORK, { remote: 'origin', branch: 'main', setUpstream: true })
  await box.git.clone('/home/user/origin.git', { path: OTHER })
  await box.files.write(`${WORK}/b.txt`, 'new')
  await box.git.add(WORK)
  await box.git.commit(WORK, 'The second')
  await box.git.push(WORK)
  await box.git.pull(OTHER)
  assert.equal(await box.files.read(`${OTHER}/b.txt`), 'new')
  await rejected(box.git.clone('/home/user/no-such.git', { path: '/tmp/none' }), e2b.CommandExitError)
})

check('settings are set, and a password is kept where git looks for it', async ({ box }) => {
  await box.git.setConfig('core.editor', 'true', { scope: 'local', path: WORK })
  assert.equal(await box.git.getConfig('core.editor', { scope: 'local', path: WORK }), 'true')
  await box.git.dangerouslyAuthenticate({ username: 'ann', password: 'not-a-real-one', host: 'git.test' })
  assert.match(await box.files.read('/home/user/.git-credentials'), /ann:not-a-real-one@git\.test/)
})

run(async () => ({ box: await Sandbox.create() }), ({ box }) => box.kill())
