// The public methods of a package, as its own declarations name them, and which of them were used and how they ended.
'use strict'
const fs = require('node:fs')
const { AsyncLocalStorage } = require('node:async_hooks')

// How users write them: the classes of things that hang on a sandbox are not exported.
const SHOWN = {
  SandboxApi: 'sandbox', Sandbox: 'sandbox', Commands: 'sandbox.commands', CommandHandle: 'command', Pty: 'sandbox.pty',
  Filesystem: 'sandbox.files', WatchHandle: 'watch', Git: 'sandbox.git', Volume: 'volume', Secret: 'secret',
  TemplateBase: 'template', SandboxPaginator: 'Sandbox.list()', SnapshotPaginator: 'sandbox.listSnapshots()',
  SecretPaginator: 'Secret.list()', Execution: 'execution', Result: 'result',
}
const STATIC = { SandboxApi: 'Sandbox', TemplateBase: 'Template' }

// Settings, values and the roots of classes: nothing of theirs reaches a server.
const CLIENT_ONLY = ['ConnectionConfig', 'VolumeConnectionConfig', 'ClientFactory', 'ApiClient', 'EnvdApiClient', 'Paginator', 'ReadyCmd', 'LogEntry', 'OutputMessage']

/** All public methods: which class has them, and how they are shown. */
function declared(declarations, shown = SHOWN) {
  const methods = new Map()
  for (const [, type, body] of declarations.matchAll(/^declare (?:abstract )?class (\w+)[^\n]*\{\n([\s\S]*?)^\}/gm)) {
    if (CLIENT_ONLY.includes(type) || type.endsWith('Error')) continue
    const code = body.replace(/\/\*[\s\S]*?\*\//g, '')
    for (const [, words, name] of code.matchAll(/^ {2,4}((?:static |abstract |async )*)(\w+)(?:<[^\n(]*>)?\(/gm)) {
      if (name === 'constructor') continue
      const own = words.includes('static')
      const owner = own ? STATIC[type] ?? type : shown[type] ?? type
      methods.set(`${owner}.${name}`, { type, name, own })
    }
  }
  return methods
}

const inside = new AsyncLocalStorage()
const endedBy = new WeakMap()
const used = new Set()
const refusals = new Set()
let methods = new Map()

/** Counts the use of every public method from here on; what the package calls itself is not counted. */
exports.watch = (library, declarations, shown) => {
  methods = declared(fs.readFileSync(declarations, 'utf8'), shown)
  for (const value of Object.values(library)) if (typeof value === 'function') wrap(value)
}

const wrapped = new WeakSet()

function wrap(type) {
  for (let one = type; typeof one === 'function' && one !== Function.prototype; one = Object.getPrototypeOf(one)) {
    if (wrapped.has(one)) return
    wrapped.add(one)
    for (const [shown, method] of methods) {
      if (method.type !== one.name) continue
      const place = method.own ? one : one.prototype
      const original = Object.getOwnPropertyDescriptor(place, method.name)?.value
      if (typeof original === 'function') place[method.name] = counting(shown, original)
    }
  }
}

function counting(shown, original) {
  return function (...args) {
    if (inside.getStore()) return original.apply(this, args)
    const ended = (value) => {
      used.add(shown)
      look(value)
      return value
    }
    const failed = (error) => {
      if (error instanceof Error) endedBy.set(error, shown)
      throw error
    }
    let result
    try {
      result = inside.run(true, () => original.apply(this, args))
    } catch (error) {
      failed(error)
    }
    return result instanceof Promise ? result.then(ended, failed) : ended(result)
  }
}

/** Classes that are not exported are met as what methods give. */
function look(value) {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one === null || typeof one !== 'object') continue
    wrap(one.constructor)
    if (one.results) look(one.results)
    for (const part of ['commands', 'files', 'pty', 'git']) if (one[part]) wrap(one[part].constructor)
  }
}

/** An error that was expected, of this class. */
exports.refused = (error, type) => {
  if (endedBy.has(error) && type !== Error) refusals.add(`${endedBy.get(error)} ${type.name}`)
}

exports.report = () => {
  for (const name of methods.keys()) console.log(`public ${name}`)
  for (const name of used) console.log(`used ${name}`)
  for (const line of refusals) console.log(`refused ${line}`)
}
