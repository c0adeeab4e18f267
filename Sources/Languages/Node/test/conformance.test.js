'use strict'
const { readFileSync, writeFileSync } = require('node:fs')
const test = require('node:test')
const { AppReceiptError, EvidenceRefused, Refused, Verifier } = require('..')

// Writes the answers to the cases of Tests/Languages/run, which compares them.
test('cases', { skip: process.env.CASES ? false : 'CASES is not set; run Tests/Languages/run' }, () => {
  const lines = []
  for (const line of readFileSync(process.env.CASES, 'utf8').trimEnd().split('\n')) {
    const { settings, ...given } = JSON.parse(line)
    const { bundle_ids: bundleIds, environment, roots, storekit_test_roots: storekitTestRoots = [], policies = {} } = settings
    const verifier = new Verifier({
      bundleIds, environment, ...(roots && { roots }), ...(storekitTestRoots.length && { storekitTestRoots }),
      policies: Object.fromEntries(Object.entries(policies).map(([name, value]) => [camel(name), value])) })
    const made = given.input ? verified(verifier, readFileSync(given.input)) : determined(verifier, given)
    lines.push(JSON.stringify(made, (_, value) => typeof value === 'bigint' ? String(value) : value))
    verifier.close()
  }
  writeFileSync(process.env.ANSWERS, lines.join('\n') + '\n')
})

function verified(verifier, data) {
  let one
  try {
    one = verifier.verify(data)
  } catch (error) {
    if (!(error instanceof AppReceiptError)) throw error
    one = error
  }
  return { answer: verifier.answer(data), results: verifier.verifyAll(data).map(plain), one: plain(one) }
}

function determined(verifier, given) {
  const { evidence, renewals = [], unsigned = [], catalog, as_of: asOf, single_group: singleGroup, products,
    refused_evidence: refusedEvidence } = given
  try {
    const { verdicts, refusals, json } = verifier.eligibility({
      evidence: evidence.map((path) => readFileSync(path)), renewalInfo: renewals.map((path) => readFileSync(path)),
      unsignedRenewalInfo: unsigned.map(JSON.parse), ...(catalog && { catalog: readFileSync(catalog) }),
      ...(asOf && { asOf: new Date(asOf) }), ...(singleGroup && { singleGroup }), ...(products && { products }),
      ...(refusedEvidence && { refusedEvidence }) })
    return { answer: json, verdicts: plain(verdicts), refusals: plain(refusals) }
  } catch (error) {
    if (!(error instanceof EvidenceRefused)) throw error
    return { error: { code: error.code }, refusals: plain(error.refusals) }
  }
}

// Returns the members of the contract.
function plain(value) {
  if (value instanceof Refused) {
    const { code, message, offset, field, path, sha256, format } = value
    return { refusal: { code, message, offset, field }, path, sha256, format }
  }
  if (value instanceof AppReceiptError) return { refusal: { code: value.code } }
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  if (Array.isArray(value)) return value.map(plain)
  const { members, refusal, ...others } = value
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, each]) => [snake(name), plain(each)])),
    ...(members && { [value.kind]: members }), ...(refusal && { refusal: plain(refusal).refusal }) }
}

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
