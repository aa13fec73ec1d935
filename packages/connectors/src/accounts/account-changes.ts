import type { Instance } from '@svc/platform'
import { type Change, describeError } from '@svc/store'
import type { ConnectorErrorCode } from '../connector-error.ts'
import type { AccountEvent } from '../ports.ts'
import type { ConnectorsServices } from '../services.ts'
import { type AccountDocument, accountTypeName, sequenceOf, toInstant } from './account.ts'
import { BY_SERVER, noteAccount } from './account-activity.ts'
import { publicAccount } from './account-view.ts'

/** How often a document is read anew because somebody else changed it meanwhile. @see connectors.md 8.2.7 */
const TRIES = 5

/**
 * What came of a change: the document as it was written, or as it stands because the change no longer applies; undefined
 * when there is none any more.
 */
export type ChangeResult =
  | { readonly written: boolean; readonly account: AccountDocument }
  | undefined

/**
 * Changes a document whatever else happens to it: of one that changed meanwhile the change is worked out again.
 * @param change - answers undefined when there is nothing to do
 * @param noteOf - what notes it, for the same write; is given the document as it was
 * @throws Error when it keeps changing, or whatever the store throws
 */
export async function changeAccount(
  { accounts }: Pick<ConnectorsServices, 'accounts'>,
  instance: Instance,
  account: AccountDocument,
  change: (current: AccountDocument) => AccountDocument | undefined,
  noteOf: (before: AccountDocument) => readonly Change[] = () => [],
): Promise<ChangeResult> {
  let current: AccountDocument | undefined = account
  for (let tries = 0; tries < TRIES; tries += 1) {
    const next = change(current)
    if (next === undefined) return { written: false, account: current }
    const written = await accounts.update(instance, next, noteOf(current))
    if (written !== undefined) return { written: true, account: written }
    current = await accounts.get(instance, account._id)
    if (current === undefined) return undefined
  }
  throw new Error('an account keeps changing')
}

/** Removes a document, whatever else happens to it, with what notes that. @returns false when there is none any more */
export async function removeDocument(
  { accounts }: Pick<ConnectorsServices, 'accounts'>,
  instance: Instance,
  account: AccountDocument,
  note: readonly Change[],
): Promise<boolean> {
  let current: AccountDocument | undefined = account
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await accounts.delete(instance, account._id, current._rev, note)) return true
    current = await accounts.get(instance, account._id)
    if (current === undefined) return false
  }
  throw new Error('an account keeps changing')
}

/**
 * Tells subscribers of the instance what became of an account, without its secrets. Nobody waits for them.
 * @see connectors.md 7.2
 */
export function notifySubscribers(
  { events, log, namespace }: Pick<ConnectorsServices, 'events' | 'log' | 'namespace'>,
  instance: Instance,
  verb: 'CREATED' | 'UPDATED' | 'DELETED',
  account: AccountDocument,
): void {
  const event = { type: `${namespace}.accounts`, id: account._id, doc: publicAccount(account) }
  events?.publish(instance, verb, event).catch((cause: unknown) => {
    log.warn('account.event_failed', { domain: instance.domain, cause: describeError(cause) })
  })
}

/** What the package's events say of an account. */
export function accountEvent(instance: Instance, account: AccountDocument): AccountEvent {
  return { instance, accountId: account._id, accountType: accountTypeName(account) }
}

export interface Mark {
  readonly status: 'refresh_failing' | 'reconnect_required'
  readonly code: ConnectorErrorCode
}

/**
 * Says in an account that its tokens could not be replaced; they stay. Nothing happens to an account that got other
 * tokens meanwhile.
 * @returns the account as it stands then
 * @see connectors.md 7.2, 8.2.8
 */
export async function markAccount(
  services: ConnectorsServices,
  instance: Instance,
  account: AccountDocument,
  { status, code }: Mark,
): Promise<AccountDocument> {
  const { clock, emit, log } = services
  const sequence = sequenceOf(account.oauth)
  const facts = { domain: instance.domain, accountId: account._id, code }
  let before: string | undefined
  const mark = (current: AccountDocument): AccountDocument | undefined => {
    const { oauth } = current
    if (oauth === undefined || sequenceOf(oauth) !== sequence) return undefined
    // What needs its owner goes on needing its owner; what is known is not written again and again.
    if (oauth.status === 'reconnect_required') return undefined
    if (oauth.status === status && oauth.last_error?.code === code) return undefined
    before = oauth.status
    const last_error = { code, at: toInstant(clock.now()) }
    return { ...current, oauth: { ...oauth, status, last_error } }
  }
  // What passes by itself is no news for the record.
  const noteOf = (): readonly Change[] =>
    status === 'reconnect_required'
      ? noteAccount(services, instance, account, BY_SERVER, 'account.failing', code)
      : []
  const result = await changeAccount(services, instance, account, mark, noteOf).catch(
    (cause: unknown) => {
      log.error('account.mark_failed', { ...facts, cause: describeError(cause) })
      return undefined
    },
  )
  if (result?.written !== true) return result?.account ?? account
  notifySubscribers(services, instance, 'UPDATED', result.account)
  if (status === 'reconnect_required' && before !== status) {
    log.warn('account.reconnect_required', facts)
    emit('account.reconnect_required', { ...accountEvent(instance, result.account), code })
  }
  return result.account
}
