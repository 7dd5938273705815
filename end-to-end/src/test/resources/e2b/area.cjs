// What the scripts of all areas have in common: each check has a name, and what it shows is printed.
'use strict'
const assert = require('node:assert')
const path = require('node:path')
const surface = require('./surface.cjs')

const library = process.env.LIBRARY ?? 'e2b'
surface.watch(require(library), path.join(path.dirname(require.resolve(library)), 'index.d.ts'))

const checks = []

exports.check = (name, body) => checks.push({ name, body })

exports.run = async (setUp, tearDown) => {
  const world = await setUp()
  let failed = 0
  try {
    for (const { name, body } of checks) {
      const begin = process.hrtime.bigint()
      try {
        await body(world)
        const ms = Number(process.hrtime.bigint() - begin) / 1e6
        console.log(`ok ${name} (${ms.toFixed(1)} ms)`)
      } catch (e) {
        failed++
        console.log(`not ok ${name}: ${e}\n${e && e.stack}`)
      }
    }
  } finally {
    await tearDown(world)
  }
  surface.report()
  console.log(`${checks.length - failed} of ${checks.length} checks passed`)
  process.exit(failed === 0 ? 0 : 1)
}

/** The error that a promise ends with, which must be of that class. */
exports.rejected = async (promise, type) => {
  let error
  try {
    await promise
  } catch (e) {
    error = e
  }
  assert.ok(error, 'it was expected to fail')
  assert.ok(error instanceof type, `expected ${type.name}, got ${error.constructor.name}: ${error.message}`)
  surface.refused(error, type)
  return error
}

/** Waits until something holds, for at most ten seconds. */
exports.until = async (what, holds) => {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, `${what} did not come about`)
    await new Promise((done) => setTimeout(done, 20))
  }
}
