import type { OAuth } from '@svc/oauth-core'
import { describeError, type Store } from '@svc/store'
import type { HostLog } from '../log/log.ts'
import type { Health } from './health.ts'

/** Of these instances one is asked: one that is being removed may have no keys any more. */
const SAMPLE = 20

export interface ReadinessParts {
  readonly store: Pick<Store, 'bus'>
  readonly oauth: Pick<OAuth, 'instances' | 'keyring'>
  readonly health: Health
  readonly log: Pick<HostLog, 'error'>
}

/**
 * Lets `/health/ready` say yes, once this process hears what others revoke, and has read the keys of an instance.
 * @throws StoreUnavailableError when the store does not answer
 * @see operation.md 6.4
 */
export async function becomeReady({ store, oauth, health, log }: ReadinessParts): Promise<void> {
  // Subscriptions are made one after the other: with this one, all before it are there.
  const unsubscribe = await store.bus.subscribe('host.ready', () => {})
  await unsubscribe()
  const { instances } = await oauth.instances.list({ limit: SAMPLE })
  const instance = instances.find(({ status }) => status === 'active')
  try {
    if (instance !== undefined) await oauth.keyring.current(instance, 'access')
  } catch (error) {
    const { code, kid } = error as { readonly code?: string; readonly kid?: string } // maybe one of ours
    if (code === 'store_unavailable') throw error
    // It is up, so that a monitoring system sees that it is not ready, and the log says why.
    log.error('keys.open_failed', { kid, cause: describeError(error) })
    health.observe({ failure: 'keys_unavailable' })
  }
  health.started()
}
