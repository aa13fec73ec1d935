import type { Instance, Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import type { ConnectorErrorCode } from '../connector-error.ts'
import type { AccountStore } from '../ports.ts'
import type { AccountDocument } from './account.ts'
import { accountEvent, type Announcements } from './announce.ts'
import { changeAccount } from './change-account.ts'
import { sequenceOf, toInstant } from './stored-oauth.ts'

export interface Mark {
  readonly status: 'refresh_failing' | 'reconnect_required'
  readonly code: ConnectorErrorCode
}

/** Says in an account that its tokens could not be replaced; they stay. @see connectors.md 7.2, 8.2.8 */
export interface AccountMarker {
  /** Nothing happens to an account that got other tokens meanwhile. Answers the account as it stands then. */
  mark(instance: Instance, account: AccountDocument, mark: Mark): Promise<AccountDocument>
}

export function createAccountMarker(options: {
  readonly accounts: AccountStore
  readonly announcements: Announcements
  readonly clock: { now(): number }
  readonly log: Logger
}): AccountMarker {
  const { accounts, announcements, clock, log } = options

  return {
    async mark(instance, account, { status, code }) {
      const sequence = sequenceOf(account.oauth)
      const facts = { instance: instance.domain, accountId: account._id, code }
      let before: string | undefined
      const result = await changeAccount(accounts, instance, account, (current) => {
        const { oauth } = current
        if (oauth === undefined || sequenceOf(oauth) !== sequence) return undefined
        // What needs its owner goes on needing its owner; what is known is not written again and again.
        if (oauth.status === 'reconnect_required') return undefined
        if (oauth.status === status && oauth.last_error?.code === code) return undefined
        before = oauth.status
        const last_error = { code, at: toInstant(clock.now()) }
        return { ...current, oauth: { ...oauth, status, last_error } }
      }).catch((cause: unknown) => {
        log.error('account.mark_failed', { ...facts, cause: describeError(cause) })
        return undefined
      })
      if (result?.written !== true) return result?.account ?? account
      announcements.tell(instance, 'UPDATED', result.account)
      if (status === 'reconnect_required' && before !== status) {
        log.warn('account.reconnect_required', facts)
        const event = accountEvent(instance, result.account)
        announcements.emit('account.reconnect_required', { ...event, code })
      }
      return result.account
    },
  }
}
