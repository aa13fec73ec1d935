#!/usr/bin/env -S node --conditions=source
import process from 'node:process'
import { createProgram } from './cli/program.ts'

// A closed pipe (`svc … | head`) is no fault.
process.stdout.on('error', () => process.exit(0))
try {
  await createProgram().parseAsync()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
