'use strict'
const assert = require('node:assert')
const { createHash } = require('node:crypto')
const e2b = require('e2b')
const { check, run, rejected, until } = require('./area.cjs')
const { Sandbox } = e2b

check('a text is written and read', async ({ box }) => {
  const written = await box.files.write('hello.txt', 'hello é')
  assert.deepEqual([written.name, written.type, written.path], ['hello.txt', 'file', '/home/user/hello.txt'])
  assert.equal(await box.files.read('hello.txt'), 'hello é')
  assert.equal(await box.files.read('~/hello.txt'), 'hello é')
  assert.equal(await box.files.read('/home/user/hello.txt'), 'hello é')
})

check('files are read as bytes, blobs and streams', async ({ box }) => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256))
  await box.files.write('bytes.bin', new Blob([bytes]))
  assert.deepEqual(Buffer.from(await box.files.read('bytes.bin', { format: 'bytes' })), bytes)
  const blob = await box.files.read('bytes.bin', { format: 'blob' })
  assert.equal(blob.size, bytes.length)
  const pieces = []
  for await (const piece of await box.files.read('bytes.bin', { format: 'stream' })) pieces.push(piece)
  assert.deepEqual(Buffer.concat(pieces), bytes)
})

check('empty files and files of /proc are read', async ({ box }) => {
  await box.files.write('empty', '')
  assert.equal(await box.files.read('empty'), '')
  assert.match(await box.files.read('/proc/self/status'), /Name:/)
})

check('several files are written at once, in folders that are made', async ({ box }) => {
  const infos = await box.files.writeFiles([
    { path: 'many/a.txt', data: 'a' },
    { path: '/tmp/with space/é.txt', data: 'b' },
  ])
  assert.deepEqual(infos.map((info) => info.path), ['/home/user/many/a.txt', '/tmp/with space/é.txt'])
  assert.equal(await box.files.read('/tmp/with space/é.txt'), 'b')
  const info = await box.files.getInfo('many')
  assert.deepEqual([info.type, info.mode, info.owner], ['dir', 0o755, 'user'])
})

check('a file where only root may write becomes the user’s', async ({ box }) => {
  await box.files.write('/opt/made/by/me.txt', 'mine')
  const info = await box.files.getInfo('/opt/made/by/me.txt')
  assert.deepEqual([info.owner, info.mode], ['user', 0o644])
  assert.equal((await box.files.getInfo('/opt/made')).owner, 'user')
})

check('a user is chosen for files', async ({ box }) => {
  await box.files.write('by-root', 'x', { user: 'root' })
  assert.equal((await box.files.getInfo('/root/by-root')).owner, 'root')
  await rejected(box.files.read('x', { user: 'nobody-knows' }), e2b.AuthenticationError)
  await rejected(box.files.write('x', 'y', { user: 'nobody-knows' }), e2b.AuthenticationError)
  await rejected(box.files.writeFiles([{ path: 'x', data: 'y' }], { user: 'nobody-knows' }), e2b.AuthenticationError)
})

check('what is not there, or is a folder, is told', async ({ box }) => {
  await rejected(box.files.read('/no/such'), e2b.NotFoundError)
  await rejected(box.files.read('/tmp'), e2b.InvalidArgumentError)
  await rejected(box.files.list('/no/such'), e2b.NotFoundError)
  await rejected(box.files.list('/etc/passwd'), e2b.InvalidArgumentError)
  await rejected(box.files.read('~other/x'), e2b.InvalidArgumentError)
  await rejected(box.files.write('/tmp', 'x'), e2b.InvalidArgumentError)
  await rejected(box.files.makeDir('/etc/passwd'), e2b.InvalidArgumentError)
  await rejected(box.files.getInfo('/no/such'), e2b.NotFoundError)
  await rejected(box.files.remove('~other/x'), e2b.InvalidArgumentError)
  await rejected(box.files.exists('~other/x'), e2b.InvalidArgumentError)
  assert.equal(await box.files.exists('/no/such'), false)
})

check('folders are made once and listed in order', async ({ box }) => {
  assert.equal(await box.files.makeDir('tree/b'), true)
  assert.equal(await box.files.makeDir('tree/b'), false)
  await box.files.write('tree/a.txt', '1')
  await box.files.write('tree/b/c.txt', '22')
  const one = await box.files.list('tree')
  assert.deepEqual(one.map((entry) => [entry.name, entry.type]), [['a.txt', 'file'], ['b', 'dir']])
  const two = await box.files.list('tree', { depth: 2 })
  assert.deepEqual(two.map((entry) => entry.path), ['/home/user/tree/a.txt', '/home/user/tree/b', '/home/user/tree/b/c.txt'])
  assert.equal(two[2].size, 2)
})

check('a link shows what it leads to', async ({ box }) => {
  await box.files.write('target.txt', 'abc')
  await box.commands.run('ln -sf target.txt link; ln -sf nowhere broken')
  const info = await box.files.getInfo('link')
  assert.deepEqual([info.type, info.symlinkTarget], ['file', '/home/user/target.txt'])
})

check('files are renamed and removed', async ({ box }) => {
  await box.files.write('old.txt', 'x')
  const moved = await box.files.rename('old.txt', 'new/place.txt')
  assert.equal(moved.path, '/home/user/new/place.txt')
  assert.equal(await box.files.exists('old.txt'), false)
  await box.files.remove('new')
  await box.files.remove('new')
  assert.equal(await box.files.exists('new'), false)
  await rejected(box.files.rename('old.txt', 'x'), e2b.NotFoundError)
})

check('a folder is watched', async ({ box }) => {
  await box.files.makeDir('watched')
  const events = []
  const handle = await box.files.watchDir('watched', (event) => events.push(event), { recursive: true })
  await box.files.write('watched/one.txt', 'x')
  await box.files.makeDir('watched/deep')
  await until('the folder', () => events.some((event) => event.name === 'deep'))
  await box.commands.run('sleep 0.2; touch watched/deep/two.txt; rm watched/one.txt')
  await until('its changes', () => events.some((event) => event.name === 'one.txt' && event.type === 'remove'))
  await until('those below', () => events.some((event) => event.name === 'deep/two.txt' && event.type === 'create'))
  await box.commands.run('chmod 600 watched/deep/two.txt')
  await until('its mode', () => events.some((event) => event.name === 'deep/two.txt' && event.type === 'chmod'))
  await handle.stop()
  await rejected(box.files.watchDir('/no/such', () => {}), e2b.NotFoundError)
  await rejected(box.files.watchDir('/etc/passwd', () => {}), e2b.InvalidArgumentError)
})

check('signed addresses work without a key, until they expire', async ({ box }) => {
  await box.files.write('signed.txt', 'signed')
  const url = await box.downloadUrl('signed.txt', { useSignature: true, useSignatureExpiration: 60 })
  const answer = await fetch(url)
  assert.equal(answer.status, 200)
  assert.equal(await answer.text(), 'signed')
  const form = new FormData()
  form.append('file', new Blob(['uploaded']), 'up.txt')
  const up = await fetch(await box.uploadUrl('up.txt', { useSignature: true }), { method: 'POST', body: form })
  assert.equal(up.status, 200)
  assert.equal(await box.files.read('up.txt'), 'uploaded')
  const late = await fetch(await box.downloadUrl('signed.txt', { useSignature: true, useSignatureExpiration: -10 }))
  assert.equal(late.status, 401)
  assert.equal((await late.json()).message, 'signature is already expired')
  const wrong = new URL(url)
  wrong.searchParams.set('path', 'other.txt')
  assert.equal((await (await fetch(wrong)).json()).message, 'invalid signature')
})

check('sixty-four megabytes go up and down unchanged', async ({ box }) => {
  const piece = Buffer.alloc(1 << 20, 'q')
  const hash = createHash('sha256')
  let left = 64
  const stream = new ReadableStream({
    pull(controller) {
      if (left-- > 0) {
        hash.update(piece)
        controller.enqueue(new Uint8Array(piece))
      } else controller.close()
    },
  })
  await box.files.write('big.bin', stream)
  const sum = (await box.commands.run('sha256sum big.bin')).stdout.slice(0, 64)
  assert.equal(sum, hash.digest('hex'))
  const down = createHash('sha256')
  for await (const some of await box.files.read('big.bin', { format: 'stream' })) down.update(some)
  assert.equal(down.digest('hex'), sum)
})

run(async () => ({ box: await Sandbox.create() }), ({ box }) => box.kill())
