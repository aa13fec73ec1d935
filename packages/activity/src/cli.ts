#!/usr/bin/env node
import '@svc/store/node-version'
import { parseArgs } from 'node:util'
import {
  type FileExpectations,
  type FileVerification,
  hashesOf,
  UnreadableFileError,
  verifyFile,
} from './verify/verify-file.ts'

const USAGE = 'activity verify FILE [--head SEQ:HASH] [--previous OLDER-FILE]'
const INTACT = 0
const BROKEN = 1
const UNREADABLE = 2

const WORDS = {
  changed: 'was changed',
  missing: 'is missing',
  moved: 'does not follow the one before it',
  gap: 'says that what stands before it was changed outside the server',
  head: 'is not the one that the head names',
  rewritten: 'is another one than you hold',
} as const

/** Verifies an export of the record of activity, without a server. @see owner.md 5.7 */
async function run(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { head: { type: 'string' }, previous: { type: 'string' } },
  })
  const [command, file, ...rest] = positionals
  if (command !== 'verify' || file === undefined || rest.length > 0) {
    throw new UnreadableFileError(`Usage: ${USAGE}`)
  }
  const expected: FileExpectations = {
    ...(values.head !== undefined && { head: headOf(values.head) }),
    ...(values.previous !== undefined && { previous: await hashesOf(values.previous) }),
  }
  const found = await verifyFile(file, expected)
  process.stdout.write(`${describe(found)}\n`)
  return found.fault === undefined ? INTACT : BROKEN
}

function headOf(text: string): { readonly seq: number; readonly hash: string } {
  const [, seq, hash] = /^(\d{1,12}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq === undefined || hash === undefined) {
    throw new UnreadableFileError('--head is a number, a colon and 64 hexadecimal characters')
  }
  return { seq: Number(seq), hash }
}

function describe({ domain, count, since, until, head, fault, beforeRestore }: FileVerification) {
  const span =
    since === undefined || until === undefined
      ? ''
      : `, ${new Date(since).toISOString()} to ${new Date(until).toISOString()}`
  const lines = [`${domain}: ${count} entries${span}`]
  if (head !== undefined) lines.push(`head: ${head.seq}:${head.hash}`)
  if (fault !== undefined) lines.push(`BROKEN: entry ${fault.seq} ${WORDS[fault.reason]}`)
  else if (beforeRestore === true) lines.push('intact; what you hold is from before the restore')
  else lines.push('intact')
  return lines.join('\n')
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = UNREADABLE
}
