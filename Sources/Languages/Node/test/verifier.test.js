'use strict'
const assert = require('node:assert/strict')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const test = require('node:test')
const { Worker } = require('node:worker_threads')
const { AppReceiptError, Refused, Verifier } = require('..')

const FIXTURES = join(__dirname, '..', '..', '..', '..', 'Fixtures')
const fixture = (path) => readFileSync(join(FIXTURES, path))
const ANY = { bundleIds: 'any', environment: 'any' }
const RECEIPT = fixture('receipts/never-subscribed.der')

// Returns a verifier that trusts the authority of Fixtures.
const trusting = (settings) => new Verifier({ ...ANY, roots: [fixture('roots/root.cer')], ...settings })

test('invalid settings are errors', () => {
  for (const [settings, message] of [
    [{ environment: null }, /environment/], [{ environment: [] }, /must not be empty/], [{ environment: 'prod' }, /environment/],
    [{ deviceId: null }, /device_id/], [{ deviceId: '' }, /device_id/], [{ deviceId: new Uint8Array() }, /device_id/],
    [{ appAppleId: [] }, /app_apple_id/], [{ roots: [] }, /roots/], [{ roots: ['no certificate'] }, /roots\[0\]/],
    [{ limits: { checks: 1 } }, /checks/], [{ limits: null }, /limits/], [{ bundleId: 'a.b' }, /bundle_id/]]) {
    assert.throws(() => new Verifier({ ...ANY, ...settings }), (error) => {
      assert.ok(error instanceof AppReceiptError)
      assert.equal(error.code, 'bad_settings')
      assert.equal(error.transient, false)
      assert.match(error.message, message)
      return true
    })
  }
  for (const settings of [undefined, null, 'any', { ...ANY, deviceId: undefined }, { ...ANY, limits: { nesting: undefined } },
    { ...ANY, roots: null }, { ...ANY, roots: [5] }, new Map(Object.entries(ANY)), { ...ANY, limits: new Map([['purchases', 1]]) },
    { ...ANY, limits: [] }, { ...ANY, policies: new Map() }, { ...ANY, verifyReceipt: new Map([['sharedSecret', 's']]) },
    { ...ANY, distrust: new Map() }, { ...ANY, catalog: { groups: new Map() } }, { ...ANY, catalog: [] }, { ...ANY, catalog: 5 }]) {
    assert.throws(() => new Verifier(settings), TypeError)
  }
})

test('invalid catalogs are errors', () => {
  const catalog = Buffer.from('{"groups": {"a": ["b\xff"]}}', 'latin1')
  for (const [given, message] of [['{groups:}', /catalog: must be JSON/], ['', /catalog: must be JSON/], ['5', /catalog/],
    [catalog, /catalog\.groups\.a\[0\].*not UTF-8/]]) {
    assert.throws(() => new Verifier({ ...ANY, catalog: given }), { name: 'AppReceiptError', code: 'bad_settings', message })
    assert.throws(() => trusting().eligibility({ evidence: [RECEIPT], catalog: given }), { name: 'AppReceiptError', code: 'bad_request', message })
  }
  assert.ok(new Verifier({ ...ANY, catalog: '\ufeff{"groups": {"a": ["b"]}}' }))
})

test('settings apply', () => {
  for (const [settings, code] of [
    [{ bundleIds: ['com.example.other'] }, 'wrong_bundle_id'], [{ environment: ['sandbox', 'xcode'] }, 'wrong_environment'],
    [{ deviceId: Buffer.alloc(16) }, 'wrong_device'], [{ deviceId: '00'.repeat(16) }, 'wrong_device'],
    [{ distrust: { certificates: [{ serial: '7e570001' }] } }, 'revoked'],
    [{ limits: { certificates: 2 } }, 'too_large']]) {
    assert.throws(() => trusting(settings).verify(RECEIPT), (error) => {
      assert.ok(error instanceof Refused)
      assert.equal(error.code, code)
      return true
    })
  }
  assert.equal(trusting().verify(RECEIPT).realm, 'custom')
})

test('results are frozen', () => {
  const object = trusting().verify(fixture('jws/transaction.jws'))
  for (const change of [() => { object.kind = 'receipt' }, () => { object.members.productId = 'other' },
    () => { object.inApp.quantity = 2 }, () => { object.signature.chain.pop() }]) assert.throws(change, TypeError)
})

test('several objects are not one', () => {
  assert.throws(() => trusting().verify(fixture('jws/history.json')), { code: 'not_one_object' })
})

test('data of other types are errors', () => {
  for (const data of [undefined, null, 5, {}, [1]]) assert.throws(() => trusting().verify(data), TypeError)
  assert.equal(trusting().verify(new Uint8Array(RECEIPT)).kind, 'receipt')
  assert.equal(trusting().verify(RECEIPT.toString('base64')).kind, 'receipt')
  assert.throws(() => trusting().eligibility({ evidence: RECEIPT }), TypeError)
})

// Tests/Languages/counted.c returns APPRECEIPT_UNAVAILABLE for this input.
test('unavailable is transient', { skip: process.env.COUNTS ? false : 'COUNTS is not set; run Tests/Languages/run' }, () => {
  assert.throws(() => trusting().verify('unavailable'), { code: 'unavailable', transient: true })
})

test('verifyReceipt is answered', () => {
  assert.equal(trusting().verifyReceiptAnswer({ 'receipt-data': 'AA==' }).status, 21002)
  const body = Buffer.from(JSON.stringify({ 'receipt-data': RECEIPT.toString('base64') }))
  for (const request of [body, new Uint8Array(body), body.toString(), JSON.parse(body)]) {
    assert.equal(trusting().verifyReceiptAnswer(request).status, 0)
  }
  for (const request of [undefined, null, 5, [1], new Map(), { 'receipt-data': RECEIPT }]) {
    assert.throws(() => trusting().verifyReceiptAnswer(request), TypeError)
  }
})

test('objects of other contexts are settings', () => {
  assert.ok(require('node:vm').runInNewContext('new Verifier({ ...ANY, limits: { purchases: 1 } })', { Verifier, ANY }))
})

test('a closed verifier is an error', () => {
  const verifier = trusting()
  verifier.close()
  verifier.close()
  assert.throws(() => verifier.verify(RECEIPT), { code: 'closed' })
})

// Tests/Languages/run counts the answers and verifiers, which Node also frees when a worker ends in a call.
test('each thread has its verifiers', async () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { Verifier } = require(workerData.module)
    const verifier = new Verifier({ bundleIds: 'any', environment: 'any', roots: [workerData.root] })
    for (let count = 0; ; count++) {
      const { realm } = verifier.verify(workerData.receipt)
      if (count === 5) parentPort.postMessage(realm)
    }`
  const workerData = { module: join(__dirname, '..'), root: fixture('roots/root.cer'), receipt: RECEIPT }
  await Promise.all(Array.from({ length: 8 }, async () => {
    const worker = new Worker(source, { eval: true, workerData })
    const realm = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
    assert.equal(realm, 'custom')
    await worker.terminate()
  }))
})
