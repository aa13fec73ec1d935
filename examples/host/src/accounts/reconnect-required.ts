import type { AccountTypes, ConnectorEvents } from '@svc/connectors'
import type { Notify } from '@svc/notify'
import type { HostKonnectors } from '../konnectors/registry.ts'
import type { HostEventLog } from '../log/log.ts'
import { reconnectTexts } from './reconnect-texts.ts'

/** What the host does when an account works no longer until its owner connects it again; once per transition. */
export type OnReconnectRequired = (event: ConnectorEvents['account.reconnect_required']) => void

export interface ReconnectNoticeOptions {
  readonly accountTypes: Pick<AccountTypes, 'get'>
  readonly konnectors: Pick<HostKonnectors, 'find'>
  readonly notify: Pick<Notify, 'post'>
  readonly log: HostEventLog
}

const CATEGORY = 'account-reconnect'

/** Tells the operator in the log, and the owner by a notification. @see connectors.md 8.7.5 */
export function tellReconnectRequired(options: ReconnectNoticeOptions): OnReconnectRequired {
  const { accountTypes, konnectors, notify, log } = options

  async function tell({
    instance,
    accountId,
    accountType,
  }: ConnectorEvents['account.reconnect_required']): Promise<void> {
    const type = await accountTypes.get(accountType, instance.context)
    const name = konnectors.find(type?.slug ?? accountType)?.name ?? accountType
    const { title, message } = reconnectTexts(instance.locale)
    await notify.post(instance, {
      originator: 'cli',
      category: CATEGORY,
      categoryId: accountId,
      declaration: { description: 'Accounts to connect again', multiple: true },
      title: title(name),
      message,
      slug: 'settings',
      data: { redirectLink: 'settings/#/accounts' },
    })
  }

  return function onReconnectRequired(event) {
    const { instance, accountId, accountType, code } = event
    log.warn('account.needs_owner', { domain: instance.domain, accountId, accountType, code })
    tell(event).catch((error: Error) => {
      log.error('notification.not_posted', {
        domain: instance.domain,
        category: CATEGORY,
        cause: error.message,
      })
    })
  }
}
