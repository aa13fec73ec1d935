import type { ErrorObject } from '@svc/platform'
import { ConnectorError, ERRORS } from '../connector-error.ts'
import type { SettledGateOptions } from './account-type-options.ts'
import type { AccountTypeEntry, AccountTypeFault } from './account-type.ts'
import { checkEntry } from './check-entry.ts'
import { isHostWithin, isSameSite, siteOf, URL_FIELDS } from './endpoint.ts'
import { applyPreset } from './presets.ts'
import type { ConnectorsLog } from '../log/log-events.ts'

/**
 * Checks an entry before it is taken over.
 * @returns the entry as it is to be kept, with warnings in the log
 * @throws AccountTypeError with every fault
 * @see connectors.md 2.2
 */
export async function admitEntry(
  options: SettledGateOptions,
  value: unknown,
): Promise<AccountTypeEntry> {
  const { entry, faults } = checkEntry(value)
  const asked =
    entry === undefined
      ? []
      : [...(await plainFaults(options, entry)), ...(await redirectFaults(options, entry))]
  const all = [...faults, ...asked]
  if (entry === undefined || all.length > 0) throw new AccountTypeError(all)
  warnOfForeignEndpoints(entry, options.log)
  return entry
}

/** @see connectors.md 2.2 (1) */
async function plainFaults(
  { lookup, trustedNetworks }: SettledGateOptions,
  entry: AccountTypeEntry,
): Promise<readonly AccountTypeFault[]> {
  const plain = URL_FIELDS.filter((field) => entry[field]?.toLowerCase().startsWith('http:'))
  const areIn = await Promise.all(
    plain.map((field) => isHostWithin(trustedNetworks, lookup, entry[field] ?? '')),
  )
  return plain
    .filter((_, index) => areIn[index] !== true)
    .map((field) => ({ field, reason: 'must be https outside trusted networks' }))
}

/** @see connectors.md 2.2 (3) */
async function redirectFaults(
  { callbackUrl, instances }: SettledGateOptions,
  { redirect_uri: uri }: AccountTypeEntry,
): Promise<readonly AccountTypeFault[]> {
  if (uri === undefined) return []
  const { origin, host, protocol } = new URL(uri)
  const callbackOrigin = callbackUrl === undefined ? undefined : new URL(callbackUrl).origin
  if (origin === callbackOrigin) return []
  if (instances === undefined && callbackOrigin === undefined) {
    return protocol === 'https:' ? [] : [{ field: 'redirect_uri', reason: 'must be https' }]
  }
  const instance = await instances?.byHost(host)
  if (instance !== undefined && new URL(instance.origin).protocol === protocol) return []
  const reason = 'must be on an instance or at the callback address'
  return [{ field: 'redirect_uri', reason }]
}

/**
 * A good authorization endpoint with a foreign token endpoint steals codes and secrets. Endpoints of a preset are what
 * they are.
 * @see connectors.md 2.2 (2)
 */
function warnOfForeignEndpoints(entry: AccountTypeEntry, log: ConnectorsLog): void {
  const { auth_endpoint: auth, ...others } = applyPreset(entry)
  for (const field of ['token_endpoint', 'refresh_endpoint'] as const) {
    const url = others[field]
    if (auth === undefined || url === undefined || isSameSite(auth, url)) continue
    if (entry.auth_endpoint === undefined && entry[field] === undefined) continue
    const sites = { authorization: siteOf(auth), endpoint: siteOf(url) }
    log.warn('account_type.foreign_endpoint', { accountType: entry._id, field, ...sites })
  }
}

/** An entry was refused, with everything that is wrong with it. @see connectors.md 2.2 (4) */
export class AccountTypeError extends ConnectorError {
  override readonly name: string = 'AccountTypeError'
  readonly faults: readonly AccountTypeFault[]
  /** One for each fault; pointers into the entry. */
  override readonly errors: readonly ErrorObject[]

  constructor(faults: readonly AccountTypeFault[]) {
    const sentences = faults.map(({ field, reason }) => `${field || 'the entry'} ${reason}`)
    super('invalid_account_type', { description: sentences.join('; ') })
    this.faults = faults
    this.errors = faults.map(({ field, reason }) => ({
      code: 'invalid_account_type',
      title: ERRORS.invalid_account_type.title,
      detail: reason,
      source: { pointer: field === '' ? '' : `/${field}` },
    }))
  }
}
