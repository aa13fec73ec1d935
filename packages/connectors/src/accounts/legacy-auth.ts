import type { Instance } from '@svc/platform'
import { parseExact } from '@svc/store'
import type { AccountDocument } from './account.ts'
import { openValue, type SealServices, sealValue } from './account-seal.ts'
import { SEALED_SUFFIX } from './sealed-fields.ts'

/**
 * Members of `auth` and `data.auth` that are sealed, beside `password`.
 * @see connectors.md 7.3.5
 * @example
 * const isSealed = LEGACY_SECRETS.includes('access_token')
 */
export const LEGACY_SECRETS: readonly string[] = [
  'access_token',
  'answer',
  'appSecret',
  'code',
  'dob',
  'refresh_token',
  'secret',
  'session',
]

/** The password goes with its login, so that neither is put to another. */
const CREDENTIALS = 'credentials'

type Members = Readonly<Record<string, unknown>>

/** Seals the secrets of an account with login and password; sealed ones stay as they are. */
export function sealAuth(
  services: SealServices,
  instance: Instance,
  account: AccountDocument,
): AccountDocument {
  const place = (field: string) => ({ instance, accountId: account._id, field })
  return mapAuth(account, (auth, path) => {
    const sealed = new Map<string, unknown>()
    for (const [name, value] of Object.entries(auth)) {
      if (name === 'password') {
        const plain = JSON.stringify({ login: auth['login'], password: value })
        const text = sealValue(services, place(`${path}${CREDENTIALS}`), plain)
        sealed.set(`${CREDENTIALS}${SEALED_SUFFIX}`, text)
      } else if (LEGACY_SECRETS.includes(name) && value !== undefined) {
        const text = sealValue(services, place(`${path}${name}`), JSON.stringify(value))
        sealed.set(`${name}${SEALED_SUFFIX}`, text)
      } else if (!sealed.has(name)) {
        sealed.set(name, value)
      }
    }
    return Object.fromEntries(sealed)
  })
}

/** `auth` with its secrets in the clear, for the connector; values that do not open are left out. */
export function openAuth(
  services: SealServices,
  instance: Instance,
  account: AccountDocument,
): Members {
  const { auth } = mapAuth(account, (members, path) => {
    const opened = new Map<string, unknown>()
    for (const [name, value] of Object.entries(members)) {
      if (!name.endsWith(SEALED_SUFFIX)) {
        opened.set(name, value)
        continue
      }
      const clear = name.slice(0, -SEALED_SUFFIX.length)
      const place = { instance, accountId: account._id, field: `${path}${clear}` }
      const plain = openValue(services, place, String(value))
      if (plain === undefined) continue
      // What opens is what we sealed.
      const content = parseExact(plain)
      if (clear !== CREDENTIALS) opened.set(clear, content)
      else for (const [key, part] of Object.entries(content as Members)) opened.set(key, part)
    }
    return Object.fromEntries(opened)
  })
  return isMembers(auth) ? auth : {}
}

function mapAuth(
  account: AccountDocument,
  map: (auth: Members, path: string) => Members,
): AccountDocument {
  const { auth, data } = account
  return {
    ...account,
    ...(isMembers(auth) && { auth: map(auth, 'auth.') }),
    ...(isMembers(data) &&
      isMembers(data['auth']) && { data: { ...data, auth: map(data['auth'], 'data.auth.') } }),
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
