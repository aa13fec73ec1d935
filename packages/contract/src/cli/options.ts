import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import type { Profile } from '../model/profile.ts'
import type { ConnectTo } from '../net/wire.ts'
import { PROFILES } from '../profiles/profiles.ts'
import type { Report } from '../run/options.ts'
import type { Operator } from '../operator/operator.ts'
import type { Expected } from '../run/expected.ts'
import { CannotRun } from '../model/cannot-run.ts'

const validate = new Ajv({ allErrors: true })
const SCHEMAS = new URL('../../schemas/', import.meta.url)

/** What a published schema says against a file. @throws CannotRun */
function requireSchema(name: string, value: unknown, file: string): void {
  const schema = readJson(fileURLToPath(new URL(`${name}.json`, SCHEMAS))) as object // ours
  if (validate.validate(schema, value)) return
  throw new CannotRun(`${file}: ${validate.errorsText(validate.errors, { dataVar: name })}`)
}

/** Commands that make and remove an instance. @throws CannotRun */
export function readOperator(file: string): Operator {
  const given = readJson(file)
  requireSchema('operator', given, file)
  return given as Operator // the schema holds
}

/** A profile by its name, or from a file that extends one. @throws CannotRun */
export function readProfile(text: string): Profile {
  const named = PROFILES.find(({ name }) => name === text)
  if (named !== undefined) return named
  const given = readJson(text) as Partial<Profile> & { readonly extends?: string } // checked below
  const base = PROFILES.find(({ name }) => name === given.extends)
  if (base === undefined) {
    throw new CannotRun(
      `${text}: extends names no profile; there are ${PROFILES.map(({ name }) => name).join(', ')}`,
    )
  }
  requireSchema('profile', given, text)
  return { ...base, ...given, name: given.name ?? base.name }
}

/** A report that a run wrote as JSON. @throws CannotRun */
export function readReport(file: string): Report {
  const given = readJson(file)
  requireSchema('report', given, file)
  return given as Report // the schema holds
}

/** A list of known failures. @throws CannotRun */
export function readExpected(file: string): readonly Expected[] {
  const list: unknown = readJson(file)
  requireSchema('expected', list, file)
  const expected = list as readonly Expected[] // the schema holds
  for (const { id, until } of expected) {
    if (until !== undefined && !isDay(until))
      throw new CannotRun(`${file}: ${id}: ${until} is no day`)
  }
  return expected
}

/** Reads `host:port:address:port`. @throws CannotRun */
export function readConnectTo(text: string): ConnectTo {
  const parts = /^([^:]*):(\d*):(\[[^\]]*\]|[^:]*):(\d*)$/.exec(text)
  if (parts === null) throw new CannotRun(`${text}: write host:port:address:port`)
  const [, host = '', port = '', toHost = '', toPort = ''] = parts
  return { host, port, toHost: toHost.replace(/^\[|\]$/g, ''), toPort }
}

/** A positive whole number. @throws CannotRun */
export function readCount(text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new CannotRun(`${text} is no positive number`)
  return value
}

/** Whether the calendar has the day: others are moved to the next month. */
function isDay(text: string): boolean {
  const day = new Date(text)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CannotRun(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
