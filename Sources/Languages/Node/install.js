'use strict'
// Builds appreceipt.node, unless there is a prebuilt one. CFLAGS and LDFLAGS name folders of appreceipt.h and of the library.
const { execFileSync } = require('node:child_process')
const { existsSync, mkdirSync } = require('node:fs')
const { dirname, join } = require('node:path')

const words = (name) => (process.env[name] ?? '').split(' ').filter(Boolean)

if (!existsSync(join(__dirname, 'prebuilds', `${process.platform}-${process.arch}`, 'appreceipt.node'))) {
  mkdirSync(join(__dirname, 'build'), { recursive: true })
  execFileSync(process.env.CC ?? 'cc', [
    '-shared', '-fPIC', '-O2', `-I${join(dirname(dirname(process.execPath)), 'include', 'node')}`, ...words('CFLAGS'),
    join(__dirname, 'addon.c'), '-o', join(__dirname, 'build', 'appreceipt.node'),
    ...words('LDFLAGS'), '-lappreceipt', '-Wl,-rpath,$ORIGIN'], { stdio: 'inherit' })
}
