import { readFileSync } from 'node:fs'
import type { Profile } from '../model/profile.ts'
import type { ConnectTo } from '../net/wire.ts'
import { PROFILES } from '../profiles/profiles.ts'
import type { Expected } from '../run/expected.ts'
import { CannotRun } from '../run/run.ts'

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
  const known = new Set([...Object.keys(base), 'extends', 'resource', 'apps', 'groups'])
  const unknown = Object.keys(given).filter((name) => !known.has(name))
  if (unknown.length > 0) throw new CannotRun(`${text}: ${unknown.join(', ')} is unknown`)
  return { ...base, ...given, name: given.name ?? base.name }
}

/** A list of known failures. @throws CannotRun */
export function readExpected(file: string): readonly Expected[] {
  const list: unknown = readJson(file)
  const isExpected = (one: unknown): one is Expected =>
    typeof one === 'object' &&
    one !== null &&
    'id' in one &&
    'reason' in one &&
    typeof one.id === 'string' &&
    typeof one.reason === 'string'
  if (!Array.isArray(list) || !list.every(isExpected)) {
    throw new CannotRun(`${file}: it has to be a list of { "id", "reason", "until"? }`)
  }
  return list
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

export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CannotRun(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
