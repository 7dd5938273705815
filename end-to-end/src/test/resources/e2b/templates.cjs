'use strict'
const assert = require('node:assert')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const e2b = require('e2b')
const { check, run, rejected, until } = require('./area.cjs')
const { Sandbox, Template } = e2b

const name = `tpl-${process.pid}-${Date.now()}`

check('a template is built of steps and files, and a sandbox begins with it', async ({ context }) => {
  const lines = []
  const template = Template({ fileContextPath: context })
    .fromTemplate('base')
    .setEnvs({ COLOUR: 'blue' })
    .setEnvs({ SHADE: 'dark-$COLOUR' })
    .copy('files/*', 'copied/')
    .copy('single.txt', '/opt/single.txt', { user: 'root', mode: 0o600 })
    .runCmd('echo made by $(whoami) > made.txt; test -f copied/a.txt')
    .runCmd('whoami > /opt/root.txt', { user: 'root' })
    .setWorkdir('/tmp')
  const built = await Template.build(template, name, { onBuildLogs: (entry) => lines.push(entry.message) })
  assert.ok(lines.some((line) => /made by/.test(line)), lines.join('\n'))
  assert.equal(built.templateId, name)
  const box = await Sandbox.create(name)
  try {
    assert.equal(await box.files.read('/home/user/made.txt'), 'made by user\n')
    assert.equal(await box.files.read('/opt/root.txt'), 'root\n')
    assert.equal(await box.files.read('/home/user/copied/a.txt'), 'aaa')
    assert.equal(await box.files.read('/home/user/copied/b.txt'), 'bbb')
    const single = await box.files.getInfo('/opt/single.txt')
    assert.deepEqual([single.owner, single.mode], ['root', 0o600])
    assert.equal((await box.commands.run('echo $COLOUR $SHADE; pwd')).stdout, 'blue dark-blue\n/tmp\n')
    assert.equal((await box.getInfo()).templateId, name)
  } finally {
    await box.kill()
  }
})

check('files are made, moved and removed in steps, and a start command runs in each sandbox', async ({ context }) => {
  const template = Template({ fileContextPath: context })
    .fromDockerfile('FROM e2bdev/base\nENV FROM_FILE=yes\nRUN echo by-file > /home/user/by-file.txt')
    .skipCache()
    .copyItems([{ src: 'single.txt', dest: 'one.txt' }, { src: 'files/a.txt', dest: 'two.txt' }])
    .makeDir('made', { mode: 0o700 })
    .rename('one.txt', 'made/one.txt')
    .remove('two.txt')
    .makeSymlink('made/one.txt', 'link')
    .runCmd('git init -q --bare repo.git')
    .gitClone('/home/user/repo.git', 'cloned')
    .setUser('root')
    .runCmd('whoami > /opt/who.txt')
    .setUser('user')
    .setStartCmd('echo started > /tmp/started; sleep 1000', e2b.waitForFile('/tmp/started'))
  const started = await Template.buildInBackground(template, `${name}-steps`)
  await until('the build', async () => {
    const { status } = await Template.getBuildStatus(started)
    assert.notEqual(status, 'error')
    return status === 'ready'
  })
  const box = await Sandbox.create(`${name}-steps`)
  try {
    assert.equal(await box.files.read('link'), 'single')
    assert.equal((await box.files.getInfo('made')).mode, 0o700)
    assert.equal(await box.files.exists('two.txt'), false)
    assert.equal(await box.files.exists('cloned/.git'), true)
    assert.equal(await box.files.read('by-file.txt'), 'by-file\n')
    assert.equal(await box.files.read('/opt/who.txt'), 'root\n')
    await until('its start', () => box.files.exists('/tmp/started'))
  } finally {
    await box.kill()
  }
  await rejected(Template.getBuildStatus({ templateId: `${name}-steps`, buildId: '00000000-0000-0000-0000-000000000000' }), e2b.BuildError)
  await rejected(Template.buildInBackground(Template().fromTemplate('base'), 'NOT A NAME'), e2b.BuildError)
})

check('what a builder says is what is sent', async () => {
  const steps = Template().fromTemplate('base').setReadyCmd(e2b.waitForPort(1))
  assert.deepEqual(JSON.parse(await Template.toJSON(steps)).fromTemplate, 'base')
  const images = [
    ['fromDebianImage', /^FROM debian:/], ['fromUbuntuImage', /^FROM ubuntu:/], ['fromFedoraImage', /^FROM fedora:/],
    ['fromAlpineImage', /^FROM alpine:/], ['fromArchImage', /^FROM archlinux/], ['fromPythonImage', /^FROM python:/],
    ['fromNodeImage', /^FROM node:/], ['fromBunImage', /^FROM oven\/bun:/], ['fromBaseImage', /^FROM e2bdev\/base/],
  ]
  for (const [method, line] of images) assert.match(Template.toDockerfile(Template()[method]()), line)
  const image = Template().fromImage('example.test/image:1')
    .pipInstall('one').npmInstall('two').bunInstall('three').aptInstall('four')
  assert.match(Template.toDockerfile(image), /FROM example.test\/image:1\n.*pip install.*one[\s\S]*npm install.*two[\s\S]*bun install.*three[\s\S]*apt-get install.*four/)
})

check('an image of a registry that is not there is told', async () => {
  await rejected(Template.build(Template().fromImage('127.0.0.1:1/no/image'), `${name}-no-image`), e2b.BuildError)
  const aws = Template().fromAWSRegistry('x', { accessKeyId: 'a', secretAccessKey: 'b', region: 'c' })
  const gcp = Template().fromGCPRegistry('x', { serviceAccountJSON: {} })
  for (const one of [aws, gcp]) {
    const error = await rejected(Template.build(one, `${name}-no-image`), e2b.BuildError)
    assert.match(error.message, /user and password/)
  }
})

check('the same build again is cached', async ({ context }) => {
  const lines = []
  const template = Template({ fileContextPath: context }).fromTemplate('base').copy('single.txt', 'x.txt').runCmd('date +%N > when.txt')
  await Template.build(template, `${name}-c`, {})
  await Template.build(template, `${name}-c`, { onBuildLogs: (entry) => lines.push(entry.message) })
  assert.ok(lines.some((line) => /^CACHED/.test(line)), lines.join('\n'))
})

check('what was cached is made anew where that is wanted', async () => {
  const steps = (builder) => builder.runCmd('date +%N > first.txt').runCmd('date +%N > second.txt')
  const read = async () => {
    const box = await Sandbox.create(`${name}-c`)
    const texts = [await box.files.read('first.txt'), await box.files.read('second.txt')]
    await box.kill()
    return texts
  }
  await Template.build(steps(Template().fromTemplate('base')), `${name}-c`)
  const first = await read()
  await Template.build(steps(Template().fromTemplate('base')), `${name}-c`)
  assert.deepEqual(await read(), first)
  const half = Template().fromTemplate('base').runCmd('date +%N > first.txt').skipCache().runCmd('date +%N > second.txt')
  await Template.build(half, `${name}-c`)
  const second = await read()
  assert.equal(second[0], first[0])
  assert.notEqual(second[1], first[1])
  await Template.build(steps(Template().fromTemplate('base')), `${name}-c`, { skipCache: true })
  const third = await read()
  assert.ok(third[0] !== second[0] && third[1] !== second[1])
})

check('sandboxes have as much as their template says', async () => {
  await Template.build(Template().fromTemplate('base').runCmd('true'), `${name}-big`, { cpuCount: 2, memoryMB: 512 })
  const box = await Sandbox.create(`${name}-big`)
  try {
    const info = await box.getInfo()
    assert.deepEqual([info.cpuCount, info.memoryMB], [2, 512])
    const [sample] = await box.getMetrics()
    assert.equal(sample.memTotal, 512 * 1024 * 1024)
    const listed = await (await fetch(`${process.env.E2B_API_URL}/templates`, { headers: { 'X-API-KEY': process.env.E2B_API_KEY } })).json()
    const shown = listed.find((one) => one.templateID === `${name}-big`)
    assert.deepEqual([shown.cpuCount, shown.memoryMB], [2, 512])
  } finally {
    await box.kill()
  }
  await rejected(Template.build(Template().fromTemplate('base'), `${name}-big`, { cpuCount: 0 }), e2b.BuildError)
  await rejected(Template.build(Template().fromTemplate('base'), `${name}-big`, { memoryMB: 1 }), e2b.BuildError)
})

check('a step that fails is told', async () => {
  const template = Template().fromTemplate('base').runCmd('true').runCmd('echo oh no; exit 5')
  const error = await rejected(Template.build(template, `${name}-broken`), e2b.BuildError)
  assert.match(error.message, /5/)
  await rejected(Template.build(Template().fromTemplate('no-such-template'), `${name}-none`), e2b.BuildError)
})

check('templates have aliases and tags', async () => {
  assert.equal(await Template.exists(name), true)
  assert.equal(await Template.exists('no-such-template'), false)
  await Template.assignTags(name, ['v1', 'stable'])
  const tags = (await Template.getTags(name)).map((one) => one.tag).sort()
  assert.deepEqual(tags, ['default', 'stable', 'v1'])
  const box = await Sandbox.create(`${name}:v1`)
  await box.kill()
  await Template.removeTags(name, ['stable'])
  assert.deepEqual((await Template.getTags(name)).map((one) => one.tag).sort(), ['default', 'v1'])
  assert.equal(await Template.aliasExists(name), true)
  await rejected(Template.getTags('no-such-template'), e2b.TemplateError)
  await rejected(Template.assignTags('no-such-template', ['v1']), e2b.TemplateError)
  await rejected(Template.removeTags('no-such-template', ['v1']), e2b.TemplateError)
})

run(
  async () => {
    const context = fs.mkdtempSync(path.join(os.tmpdir(), 'e2b-context-'))
    fs.mkdirSync(path.join(context, 'files'))
    fs.writeFileSync(path.join(context, 'files', 'a.txt'), 'aaa')
    fs.writeFileSync(path.join(context, 'files', 'b.txt'), 'bbb')
    fs.writeFileSync(path.join(context, 'single.txt'), 'single')
    return { context }
  },
  async ({ context }) => {
    fs.rmSync(context, { recursive: true })
    const headers = { 'X-API-KEY': process.env.E2B_API_KEY }
    for (const one of [name, `${name}-c`, `${name}-steps`, `${name}-big`]) {
      await fetch(`${process.env.E2B_API_URL}/templates/${one}`, { method: 'DELETE', headers })
    }
  })
