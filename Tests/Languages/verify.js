// Verifies a file: node verify.js FILE SETTINGS
const { readFileSync } = require('node:fs')
const appreceipt = require('./appreceipt.node')

const [, , file, settings] = process.argv
const verifier = appreceipt.open(settings)                  // throws if the settings are invalid
const { results } = JSON.parse(appreceipt.verify(verifier, readFileSync(file)))
for (const { status, receipt, refusal } of results) {
  console.log(`${status} ${receipt?.bundle_id ?? ''}${refusal?.code ?? ''}`)
  for (const purchase of receipt?.in_app ?? []) console.log(`  ${purchase.product_id}`)
}
