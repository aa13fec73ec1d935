import { type Json, type Key, recordKey, type StoredRecord } from '@svc/store'
import { isExternalId } from './external-ids.ts'
import type { Instance, InstanceId, InstanceRecord, Subdomains } from './instance.ts'
import type { InstanceUpdate } from './instances.ts'

const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
const CONTEXT = /^[A-Za-z0-9_-]{1,64}$/
// One address, no quoted local part, no control characters. @see security.md 98
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/

const RULES: readonly (readonly [
  name: keyof InstanceUpdate,
  isValid: (text: string) => boolean,
])[] = [
  ['context', (text) => CONTEXT.test(text)],
  ['locale', (text) => LOCALE.test(text)],
  ['timeZone', isTimeZone],
  ['email', (text) => text.length <= 254 && EMAIL.test(text)],
  ['publicName', (text) => text.length <= 256 && !/\p{Cc}/u.test(text)],
  ['externalId', isExternalId],
  ['defaultRedirection', (text) => text.length <= 2048],
]

/** An {@link InstanceRecord} as JSON. */
export type StoredInstance = InstanceRecord & { readonly [name: string]: Json | undefined }

/** How addresses are derived from records. */
export interface Addressing {
  readonly subdomains: Subdomains
  readonly isHttps: (domain: string) => boolean
}

/** Key of an instance's own record. */
export function instanceKey(id: InstanceId): Key {
  return recordKey(id, 'instance', 'record')
}

/** An instance as requests see it. */
export function toInstance(
  { value, revision }: StoredRecord<StoredInstance>,
  { subdomains, isHttps }: Addressing,
): Instance {
  const secure = isHttps(value.domain)
  return {
    ...value,
    revision,
    origin: `${secure ? 'https' : 'http'}://${value.domain}`,
    isHttps: secure,
    subdomains,
  }
}

/**
 * The record after an update; `null` clears, absent keeps.
 * @param aliases - the normalized aliases of the update
 */
export function updateRecord(
  record: InstanceRecord,
  update: InstanceUpdate,
  aliases: readonly string[] | undefined,
  now: number,
): StoredInstance {
  const merged: Record<string, unknown> = { ...record, ...update, updatedAt: now }
  merged['aliases'] = aliases ?? record.aliases
  for (const [name, value] of Object.entries(merged)) {
    if (value === null || value === undefined) delete merged[name]
  }
  // A record with members replaced by members of the same types.
  return merged as unknown as StoredInstance
}

/** @throws TypeError naming the first malformed member */
export function checkSettings(input: InstanceUpdate): void {
  const [malformed] = malformedMembers(input)
  if (malformed !== undefined) throw new TypeError(`instance.${malformed} is malformed`)
}

/** The members that are not what they may be. */
export function malformedMembers(input: InstanceUpdate): readonly (keyof InstanceUpdate)[] {
  return RULES.filter(([name, isValid]) => {
    const value = input[name]
    if (value === undefined || value === null) return false
    return typeof value !== 'string' || !isValid(value)
  }).map(([name]) => name)
}

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
