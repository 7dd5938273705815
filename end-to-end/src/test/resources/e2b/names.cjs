// By host names alone, as where there is a wildcard certificate. Names of the test's domain are looked up here.
'use strict'
const dns = require('node:dns')
const lookup = dns.lookup
dns.lookup = (name, options, done) => {
  if (typeof options === 'function') [options, done] = [{}, options]
  if (!name.endsWith('.sbx.test')) return lookup(name, options, done)
  return options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
}
const assert = require('node:assert')
const e2b = require('e2b')
const { check, run, rejected, until } = require('./area.cjs')
const { Sandbox, Volume } = e2b

const SERVE = 'python3 -c "' + [
  'import http.server',
  'class H(http.server.BaseHTTPRequestHandler):',
  '  def do_GET(self):',
  "    body=(self.path+'|'+str(dict(self.headers))).encode()",
  "    self.send_response(200); self.send_header('Content-Length',str(len(body))); self.end_headers(); self.wfile.write(body)",
  "http.server.HTTPServer(('127.0.0.1',8000),H).serve_forever()"].join('\n') + '"'

const serve = async (box) => {
  await box.commands.run(SERVE, { background: true, timeoutMs: 0 })
  await until('the server', async () => (await box.commands.run('curl -s -o /dev/null localhost:8000; echo $?')).stdout === '0\n')
}

check('commands, files and volumes work by names', async ({ box }) => {
  assert.equal((await box.commands.run('echo by name')).stdout, 'by name\n')
  await box.files.write('a.txt', 'one')
  assert.equal(await box.files.read('a.txt'), 'one')
  const url = await box.downloadUrl('a.txt', { useSignature: true })
  assert.match(url, new RegExp(`^https://49983-${box.sandboxId}\\.sbx\\.test:`))
  assert.equal(await (await fetch(url)).text(), 'one')
  const unsigned = new URL(url)
  unsigned.searchParams.delete('signature')
  assert.equal((await fetch(unsigned)).status, 401)
  const volume = await Volume.create(`named-${process.pid}`)
  await volume.writeFile('/x', 'y')
  assert.equal(await volume.readFile('/x'), 'y')
  assert.equal(await Volume.destroy(volume.volumeId), true)
})

check('a port is open to everybody by its name', async ({ box }) => {
  await serve(box)
  assert.match(box.getHost(8000), new RegExp(`^8000-${box.sandboxId}\\.sbx\\.test:[0-9]+$`))
  const answer = await fetch(`https://${box.getHost(8000)}/a/b?c=d`)
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /^\/a\/b\?c=d\|/)
  const closed = await fetch(`https://${box.getHost(8001)}/`)
  assert.equal(closed.status, 502)
  assert.deepEqual(await closed.json(), { sandboxId: box.sandboxId, message: 'The sandbox is running but port is not open', port: 8001, code: 502 })
})

check('a port is reached with headers too, which the server inside does not see', async ({ box }) => {
  const headers = { 'E2b-Sandbox-Id': box.sandboxId, 'E2b-Sandbox-Port': '8000', 'X-Access-Token': 'secret', 'X-Other': 'seen' }
  const answer = await fetch(`${process.env.PLAIN_URL}/e2b/deep/path`, { headers })
  const text = await answer.text()
  assert.match(text, /^\/deep\/path\|.*seen/i)
  assert.doesNotMatch(text, /secret|e2b-sandbox/i)
  const closed = await fetch(`${process.env.PLAIN_URL}/e2b/`, { headers: { ...headers, 'E2b-Sandbox-Port': '8001' } })
  assert.equal(closed.status, 502)
  assert.deepEqual(await closed.json(), { sandboxId: box.sandboxId, message: 'The sandbox is running but port is not open', port: 8001, code: 502 })
  const gone = await fetch(`${process.env.PLAIN_URL}/e2b/`, { headers: { ...headers, 'E2b-Sandbox-Id': 'nosuchsandbox1' } })
  assert.deepEqual(await gone.json(), { sandboxId: 'nosuchsandbox1', message: 'The sandbox was not found', code: 502 })
})

check('the port of the interpreter wants its token even then', async ({ box }) => {
  const at = `https://${box.getHost(49999)}/contexts`
  assert.equal((await fetch(at)).status, 403)
  assert.equal((await fetch(at, { headers: { 'E2B-Traffic-Access-Token': 'wrong' } })).status, 403)
  assert.equal((await fetch(at, { headers: { 'E2B-Traffic-Access-Token': box.trafficAccessToken } })).status, 502)
})

check('ports can be for those alone who have the token', async () => {
  const box = await Sandbox.create({ network: { allowPublicTraffic: false } })
  try {
    assert.equal((await box.getInfo()).network.allowPublicTraffic, false)
    await serve(box)
    const at = `https://${box.getHost(8000)}/`
    assert.equal((await fetch(at)).status, 403)
    const headers = { 'e2b-traffic-access-token': box.trafficAccessToken }
    const answer = await fetch(at, { headers })
    assert.equal(answer.status, 200)
    assert.ok(!(await answer.text()).includes(box.trafficAccessToken))
    const same = await Sandbox.connect(box.sandboxId)
    assert.equal(same.trafficAccessToken, box.trafficAccessToken)
  } finally {
    await box.kill()
  }
})

check('a server inside reads the host that it was to read', async () => {
  const box = await Sandbox.create({ network: { maskRequestHost: 'localhost:${PORT}' } })
  try {
    assert.equal((await box.getInfo()).network.maskRequestHost, 'localhost:${PORT}')
    await serve(box)
    assert.match(await (await fetch(`https://${box.getHost(8000)}/`)).text(), /'Host': 'localhost:8000'/)
  } finally {
    await box.kill()
  }
  await rejected(Sandbox.create({ network: { maskRequestHost: 'a b' } }), e2b.SandboxError)
})

check('a port wakes a sandbox only where that was wanted', async () => {
  const [still, awake] = await Promise.all([
    Sandbox.create(), Sandbox.create({ lifecycle: { onTimeout: 'pause', autoResume: true } })])
  try {
    await Promise.all([serve(still), serve(awake)])
    await Promise.all([still.pause(), awake.pause()])
    const resting = await fetch(`https://${still.getHost(8000)}/`)
    assert.equal(resting.status, 502)
    assert.equal((await resting.json()).message, 'The sandbox was not found')
    assert.equal((await Sandbox.getInfo(still.sandboxId)).state, 'paused')
    assert.equal((await fetch(`https://${awake.getHost(8000)}/`)).status, 200)
    assert.equal((await Sandbox.getInfo(awake.sandboxId)).state, 'running')
  } finally {
    await Promise.all([still.kill(), awake.kill()])
  }
})

run(async () => ({ box: await Sandbox.create() }), ({ box }) => box.kill())
