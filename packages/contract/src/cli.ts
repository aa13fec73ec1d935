#!/usr/bin/env node
import './node-version.ts'
import { main } from './cli/program.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())

process.exitCode = await main(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  environment: process.env,
  signal: stop.signal,
})
