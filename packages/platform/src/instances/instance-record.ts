import { type Json, type Key, recordKey, type StoredRecord } from '@svc/store'
import { isExternalId } from './external-ids.ts'
import type { Instance, InstanceId, InstanceRecord, Subdomains } from './instance.ts'
import type { InstanceUpdate } from './instances.ts'

const LOCALE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/
const CONTEXT = /^[A-Za-z0-9_-]{1,64}$/
// One address, no quoted local part, no control characters. @see security.md 98
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/

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
  check('context', input.context, (text) => CONTEXT.test(text))
  check('locale', input.locale, (text) => LOCALE.test(text))
  check('timeZone', input.timeZone, isTimeZone)
  check('email', input.email, (text) => text.length <= 254 && EMAIL.test(text))
  check('publicName', input.publicName, (text) => text.length <= 256 && !/\p{Cc}/u.test(text))
  check('externalId', input.externalId, isExternalId)
  check('defaultRedirection', input.defaultRedirection, (text) => text.length <= 2048)
}

function check(
  name: string,
  value: string | null | undefined,
  isValid: (text: string) => boolean,
): void {
  if (value === undefined || value === null) return
  if (typeof value !== 'string' || !isValid(value)) {
    throw new TypeError(`instance.${name} is malformed`)
  }
}

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
