'use strict'
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, rejected } = require('./area.cjs')
const { Sandbox, Volume } = e2b

const all = async (paginator) => {
  const items = []
  while (paginator.hasNext) items.push(...(await paginator.nextItems()))
  return items
}

check('a snapshot is taken, listed, begun with and deleted', async ({ box }) => {
  await box.files.write('kept.txt', 'in the snapshot')
  const name = `snap-${process.pid}`
  const snapshot = await box.createSnapshot({ name })
  assert.deepEqual(snapshot.names, [name])
  await box.files.write('kept.txt', 'changed since')
  const unnamed = await box.createSnapshot()
  const listed = await all(box.listSnapshots({ limit: 1 }))
  assert.deepEqual(listed.map((one) => one.snapshotId), [unnamed.snapshotId, snapshot.snapshotId])
  const copies = await Promise.all([Sandbox.create(snapshot.snapshotId), Sandbox.create(name)])
  try {
    for (const copy of copies) {
      assert.notEqual(copy.sandboxId, box.sandboxId)
      assert.equal(await copy.files.read('kept.txt'), 'in the snapshot')
    }
  } finally {
    await Promise.all(copies.map((copy) => copy.kill()))
  }
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), true)
  assert.equal(await Sandbox.deleteSnapshot(snapshot.snapshotId), false)
  assert.equal(await Sandbox.deleteSnapshot(unnamed.snapshotId), true)
  await rejected(Sandbox.createSnapshot('nosuchsandbox1'), e2b.NotFoundError)
  const third = await Sandbox.createSnapshot(box.sandboxId)
  assert.deepEqual((await all(Sandbox.listSnapshots({ sandboxId: box.sandboxId }))).map((one) => one.snapshotId), [third.snapshotId])
  assert.equal(await Sandbox.deleteSnapshot(third.snapshotId), true)
  await rejected(Sandbox.listSnapshots({ limit: 1000 }).nextItems(), e2b.SandboxError)
})

check('a sandbox is forked with its files and metadata', async ({ box }) => {
  await box.files.write('forked.txt', 'one')
  const children = await box.fork({ count: 2 })
  try {
    assert.equal(children.length, 2)
    for (const child of children) {
      assert.ok(child instanceof Sandbox, String(child))
      assert.equal(await child.files.read('forked.txt'), 'one')
      assert.deepEqual((await child.getInfo()).metadata, { kind: 'parent' })
      await child.files.write('forked.txt', 'two')
    }
    assert.equal(await box.files.read('forked.txt'), 'one')
  } finally {
    await Promise.all(children.map((child) => child.kill()))
  }
})

check('a volume keeps files for sandboxes and without one', async () => {
  const name = `vol-${process.pid}-${Date.now()}`
  const volume = await Volume.create(name)
  try {
    assert.ok((await Volume.list()).some((one) => one.volumeId === volume.volumeId && one.name === name))
    await volume.makeDir('/notes')
    const written = await volume.writeFile('/notes/a b.txt', 'first')
    assert.deepEqual([written.name, written.type, written.size], ['a b.txt', 'file', 5])
    assert.equal(await volume.readFile('/notes/a b.txt'), 'first')
    assert.deepEqual((await volume.list('/notes')).map((one) => one.path), ['/notes/a b.txt'])
    assert.equal(await volume.exists('/no/such'), false)
    assert.equal((await Volume.getInfo(volume.volumeId)).name, name)
    assert.equal((await volume.getInfo('/notes')).type, 'directory')
    await rejected(volume.readFile('/no/such'), e2b.VolumePathNotFoundError)
    await rejected(volume.list('/no/such'), e2b.VolumePathNotFoundError)
    await rejected(volume.getInfo('/no/such'), e2b.VolumePathNotFoundError)
    await rejected(volume.updateMetadata('/no/such', { mode: 0o600 }), e2b.VolumePathNotFoundError)
    await rejected(volume.remove('/no/such'), e2b.VolumePathNotFoundError)
    await rejected(volume.writeFile('/notes', 'x'), e2b.VolumeError)
    await rejected(volume.makeDir('/notes/a b.txt/x'), e2b.VolumeError)
    await rejected(Volume.create(name), e2b.VolumeError)
    const box = await Sandbox.create({ volumeMounts: { '/mnt/data': name } })
    try {
      assert.equal((await box.commands.run("cat '/mnt/data/notes/a b.txt'")).stdout, 'first')
      await box.commands.run('echo second > /mnt/data/from-box.txt', { user: 'root' })
    } finally {
      await box.kill()
    }
    const again = await Volume.connect(volume.volumeId)
    assert.equal(await again.readFile('/from-box.txt'), 'second\n')
    const info = await again.updateMetadata('/from-box.txt', { mode: 0o600 })
    assert.equal(info.mode & 0o777, 0o600)
    await again.remove('/notes')
    assert.equal(await again.exists('/notes/a b.txt'), false)
  } finally {
    assert.equal(await Volume.destroy(volume.volumeId), true)
  }
  assert.equal(await Volume.destroy(volume.volumeId), false)
  await rejected(Volume.connect(volume.volumeId), e2b.VolumeError)
  await rejected(Volume.getInfo(volume.volumeId), e2b.VolumeError)
  await rejected(Volume.create('no/name'), e2b.VolumeError)
})

check('network rules are taken, shown and changed', async () => {
  const box = await Sandbox.create({ allowInternetAccess: false })
  try {
    const info = await box.getInfo()
    assert.equal(info.allowInternetAccess, false)
    await box.updateNetwork({ allowOut: ['example.com', '192.0.2.0/24'], denyOut: ['0.0.0.0/0'] })
    const changed = await box.getInfo()
    assert.deepEqual(changed.network.allowOut, ['example.com', '192.0.2.0/24'])
    assert.deepEqual(changed.network.denyOut, ['0.0.0.0/0'])
    await box.updateNetwork({ allowOut: ['192.0.2.128/25'], denyOut: ['192.0.2.0/24'] })
    assert.deepEqual((await box.getInfo()).network.denyOut, ['192.0.2.0/25'])
    await rejected(box.updateNetwork({ denyOut: ['example.com'] }), e2b.SandboxError)
    await rejected(box.updateNetwork({ allowOut: ['example.com'] }), e2b.SandboxError)
  } finally {
    await box.kill()
  }
})

run(
  async () => ({ box: await Sandbox.create({ metadata: { kind: 'parent' } }) }),
  ({ box }) => box.kill())
