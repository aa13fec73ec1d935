#!/usr/bin/env node
import '@svc/store/node-version'
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { checkLanguage, type FileReport, skeletonOf } from './language-files.ts'

const USAGE = `Usage: svc-locale check <folder> [--locale <tag>]
       svc-locale skeleton <folder> [--locale <tag>]

The folder is named after the language, such as ar/. It has pages.json, home.json and settings.json, and mails.json where
@svc/notify is installed. check says what is missing, extra or wrong, and ends with 1 when there is something. skeleton
writes a line for each text that is missing, with the English text above it; what is translated stays.
`
const TAG = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u

process.exitCode = run(process.argv.slice(2))

function run(given: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...given],
    options: { locale: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  const [command, folder, ...others] = positionals
  if (values.help === true) {
    process.stdout.write(USAGE)
    return 0
  }
  if (folder === undefined || others.length > 0) return misused(USAGE)
  const path = resolve(folder)
  const locale = values.locale ?? basename(path)
  if (!TAG.test(locale)) return misused(`${locale} is no language tag; say --locale\n`)
  if (command === 'check') return check(path, locale)
  if (command === 'skeleton') return writeSkeleton(path, locale)
  return misused(USAGE)
}

function check(folder: string, locale: string): number {
  const reports = checkLanguage(folder, locale)
  for (const report of reports) process.stdout.write(linesOf(report))
  return reports.every(({ missing, faults }) => missing.length + faults.length === 0) ? 0 : 1
}

function linesOf({ file, missing, faults }: FileReport): string {
  const head = `${file}: ${missing.length} missing, ${faults.length} wrong\n`
  const lines = [
    ...missing.map((key) => `  ${key}: missing\n`),
    ...faults.map(([key, problem]) => `  ${key}: ${problem}\n`),
  ]
  return head + lines.join('')
}

function writeSkeleton(folder: string, locale: string): number {
  mkdirSync(folder, { recursive: true })
  for (const [file, content] of skeletonOf(folder, locale)) {
    writeFileSync(join(folder, file), content)
    process.stdout.write(`${join(folder, file)}\n`)
  }
  return 0
}

function misused(words: string): number {
  process.stderr.write(words)
  return 2
}
