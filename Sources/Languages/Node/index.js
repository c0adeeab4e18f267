'use strict'
// Verifies App Store receipts and signed transactions offline, in the process, with libappreceipt.
const { isUtf8 } = require('node:buffer')
const { randomUUID } = require('node:crypto')
const { existsSync } = require('node:fs')
const { join } = require('node:path')

const prebuilt = join(__dirname, 'prebuilds', `${process.platform}-${process.arch}`, 'appreceipt.node')
const addon = require(existsSync(prebuilt) ? prebuilt : './build/appreceipt.node')

const VERIFY = 0, ELIGIBILITY = 1, VERIFY_RECEIPT_ANSWER = 2
const OK = 0, REFUSED = 1, BAD_REQUEST = 2
const MARK = Buffer.from('\ufeff')
const DATES = new Set(['verified_at', 'not_before', 'not_after', 'receipt_creation_date', 'original_purchase_date',
  'expiration_date', 'purchase_date', 'expires_date', 'cancellation_date', 'as_of', 'evidence_date', 'since', 'until'])

class AppReceiptError extends Error {
  constructor(code, message, members = {}) {
    super(`${code}: ${message}`)
    this.name = new.target.name
    Object.assign(this, { code, transient: code === 'unavailable' }, members)
  }
}

class Refused extends AppReceiptError {
  constructor({ code, message, offset = null, field = null }, members = {}) {
    super(code, message + (offset === null ? '' : ` at byte ${offset}`) + (field === null ? '' : ` (${field})`))
    Object.assign(this, { offset, field, path: null, sha256: null, format: null }, members)
  }
}

class EvidenceRefused extends AppReceiptError {}

class Verifier {
  #handle

  constructor(settings) {
    const { roots, storekitTestRoots, crl, distrust, deviceId, catalog, ...others } = members('settings', settings)
    const given = snake(others)
    if (roots !== undefined) given.roots = texts('roots', roots)
    if (storekitTestRoots !== undefined) given.storekit_test_roots = texts('storekitTestRoots', storekitTestRoots)
    if (crl !== undefined) given.crl = texts('crl', crl)
    if (distrust !== undefined) given.distrust = distrust
    if (deviceId !== undefined) given.device_id = ArrayBuffer.isView(deviceId) ? buffer(deviceId).toString('hex') : deviceId
    const [code, answer, handle] = addon.open(json(given, catalog, 'bad_settings'))
    if (code !== OK) throw failure(code, answer)
    this.#handle = handle
  }

  close() {
    if (this.#handle !== undefined) addon.close(this.#handle)
    this.#handle = undefined
  }

  verify(data) {
    const results = this.verifyAll(data)
    if (results.length !== 1) {
      throw new AppReceiptError('not_one_object', `${results.length} signed objects, expected one; use verifyAll`)
    }
    if (results[0] instanceof Refused) throw results[0]
    return results[0]
  }

  verifyAll(data) {
    const answer = this.answer(data)
    const { results } = parse(answer)
    const lines = split(answer, results.length)
    return results.map((line, index) => result(line, lines[index]))
  }

  answer(data) {
    return this.#call(VERIFY, buffer(data))[1]
  }

  eligibility(question) {
    const { evidence, renewalInfo = [], asOf, catalog, ...others } = members('question', question)
    const request = { evidence: texts('evidence', evidence), renewal_info: texts('renewalInfo', renewalInfo), ...snake(others) }
    if (asOf !== undefined) request.as_of = asOf
    const [code, text] = this.#call(ELIGIBILITY, json(request, catalog, 'bad_request'))
    const { verdicts, refusals = [], error } = JSON.parse(text)
    const refused = refusals.map(({ refusal, path = null, ...place }) =>
      Object.freeze({ ...camel(place), path, refusal: new Refused(refusal) }))
    if (code === REFUSED && verdicts === undefined) throw new EvidenceRefused(error.code, error.message, { refusals: refused })
    return Object.freeze({ verdicts: typed('verdicts', verdicts), refusals: Object.freeze(refused), json: text })
  }

  verifyReceiptAnswer(request) {
    const body = isData(request) ? buffer(request) : json(object('request', request))
    return JSON.parse(this.#call(VERIFY_RECEIPT_ANSWER, body)[1])
  }

  #call(index, input) {
    if (this.#handle === undefined) throw new AppReceiptError('closed', 'verifier: closed')
    const [code, answer] = addon.call(index, this.#handle, input)
    if (code > REFUSED) throw failure(code, answer)
    return [code, answer]
  }
}

if (Symbol.dispose) Verifier.prototype[Symbol.dispose] = Verifier.prototype.close

// Returns parsed JSON, in which integers that a number cannot represent are BigInts. They are rare.
function parse(text) {
  if (!/[:,[]-?\d{16}/.test(text)) return JSON.parse(text)
  const mark = randomUUID()
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `{"${mark}":"${token}"}`)
  return JSON.parse(marked, (_, value) => value?.[mark] === undefined ? value : BigInt(value[mark]))
}

function failure(code, answer) {
  if (code !== BAD_REQUEST) return new AppReceiptError('unavailable', 'out of memory, or OpenSSL failed; nothing was verified')
  const { error } = JSON.parse(answer ?? '{"error": {"code": "bad_request", "message": "request not understood"}}')
  return new AppReceiptError(error.code, error.message)
}

// Returns the tag of a value, which is also right for objects of other contexts.
const tag = (value) => Object.prototype.toString.call(value).slice(8, -1)
const isData = (value) => typeof value === 'string' || ArrayBuffer.isView(value)

function object(name, value) {
  if (tag(value) !== 'Object') throw new TypeError(`${name}: must be an object, not ${Object(value) === value ? tag(value) : value}`)
  return value
}

function members(name, value) {
  // JSON drops undefined values, and a missing setting must not remove a check.
  for (const [each, given] of Object.entries(object(name, value))) {
    if (given === undefined) throw new TypeError(`${name}.${each}: undefined; leave it out or name the accepted values`)
  }
  return value
}

function buffer(data) {
  if (typeof data === 'string') return Buffer.from(data)
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  throw new TypeError(`data: must be a string, a Buffer or a Uint8Array, not ${data === null ? null : typeof data}`)
}

// Returns text unchanged, and DER as base64. DER of more than 127 bytes is never UTF-8, because of its length bytes.
function texts(name, inputs) {
  if (!Array.isArray(inputs)) throw new TypeError(`${name}: must be an array, not ${typeof inputs}`)
  return inputs.map((input) => {
    const bytes = buffer(input)
    return typeof input === 'string' ? input : bytes.toString(isUtf8(bytes) ? 'utf8' : 'base64')
  })
}

// Throws for objects whose content JSON drops, such as a Map, and for bytes. JSON.stringify calls it.
function checked(name, value) {
  if (Object(value) === value && !['Object', 'Array'].includes(tag(this[name]))) {
    throw new TypeError(`${name}: must be an object, an array or a string, not ${tag(this[name])}`)
  }
  return value
}

// Returns JSON. A catalog that is text is inserted unparsed, so that the library refuses duplicate members.
function json(value, catalog, code) {
  const text = JSON.stringify(value, checked)
  if (catalog === undefined) return Buffer.from(text)
  const given = isData(catalog) ? buffer(catalog) : Buffer.from(JSON.stringify(object('catalog', catalog), checked))
  const start = given.subarray(0, 3).equals(MARK) ? MARK.length : 0
  try {
    JSON.parse(given.subarray(start).toString())
  } catch (error) {
    throw new AppReceiptError(code, `catalog: must be JSON: ${error.message}`)
  }
  return Buffer.concat([Buffer.from(`${text.slice(0, -1)}${text === '{}' ? '' : ','}"catalog":`), given.subarray(start), Buffer.from('}')])
}

// Returns the object with names in snake case, also those of limits, policies and verifyReceipt.
function snake(value) {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ['limits', 'policies', 'verifyReceipt'].includes(name) && each !== null ? snake(members(name, each)) : each]))
}

function camel(value) {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [
    name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), typed(name, each)]))
}

// Returns a member of the contract with JavaScript's names and dates, frozen.
function typed(name, value) {
  if (typeof value === 'string') return DATES.has(name) ? new Date(value) : value
  if (value === null || typeof value !== 'object') return value
  return Object.freeze(Array.isArray(value) ? value.map((each) => typed(name, each)) : camel(value))
}

function frozen(value) {
  if (value !== null && typeof value === 'object') Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

function result({ source, status, refusal, kind = 'receipt', ...line }, text) {
  const path = source.slice(2) || null
  if (status === 'refused') return new Refused(refusal, { path, sha256: line.sha256, format: line.format ?? null })
  const { [kind]: content, ...others } = line
  return Object.freeze({
    kind, ...camel(others), path, json: text,
    ...(kind === 'receipt' ? { receipt: typed(kind, content) } : { members: frozen(content) }) })
}

// Returns the text of each result in an answer.
function split(answer, count) {
  if (count === 1) return [answer.slice('{"results":['.length, -']}'.length)]
  const lines = []
  let depth = 0, start = 0, inString = false
  for (const { 0: mark, index } of answer.matchAll(/\\.|["{}]/g)) {
    if (mark === '"') inString = !inString
    else if (!inString && mark === '{' && ++depth === 2) start = index
    else if (!inString && mark === '}' && --depth === 1) lines.push(answer.slice(start, index + 1))
  }
  return lines
}

module.exports = { AppReceiptError, EvidenceRefused, Refused, Verifier, version: addon.version }
