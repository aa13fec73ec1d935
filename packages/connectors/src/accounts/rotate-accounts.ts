import type { Instance, Instances, Logger } from '@svc/platform'
import { describeError } from '@svc/store'
import type { AccountStore } from '../ports.ts'
import type { AccountLoader } from './account-loader.ts'
import type { AccountDocument } from './account.ts'
import type { AccountSeal } from './account-seal.ts'
import { changeAccount } from './change-account.ts'
import { replaceSealed } from './sealed-fields.ts'

export interface RotationOptions {
  readonly accounts: AccountStore
  readonly instances: Pick<Instances, 'list'>
  readonly loader: AccountLoader
  readonly log: Logger
  readonly seal: AccountSeal
}

const PAGE = 100

/**
 * Seals with the current key what an older one sealed, in all accounts of all instances. What is current stays as it is:
 * one that was cut short goes on when it is called again. An account that fails is logged and left.
 * @returns how many accounts were sealed again
 * @see connectors.md 7.3.3
 */
export function createRotation(options: RotationOptions): () => Promise<number> {
  const { accounts, instances, loader, log, seal } = options

  function renewed(instance: Instance, account: AccountDocument): AccountDocument | undefined {
    const accountId = account._id
    return replaceSealed(account, (field, sealed) =>
      // Other seals than ours may stand beside them.
      sealed.startsWith('v1.') ? seal.renew({ instance, accountId, field }, sealed) : undefined,
    )
  }

  async function rotateAccount(instance: Instance, { _id }: AccountDocument): Promise<boolean> {
    // Loaded anew: tokens that wait to be merged were sealed with some key too.
    const loaded = await loader.load(instance, _id)
    if (loaded === undefined) return false
    const result = await changeAccount(accounts, instance, loaded.account, (current) =>
      renewed(instance, current),
    )
    return result?.written === true
  }

  async function rotateInstance(instance: Instance): Promise<number> {
    let count = 0
    let cursor: string | undefined
    do {
      const page = await accounts.list(instance, {
        limit: PAGE,
        ...(cursor !== undefined && { cursor }),
      })
      for (const account of page.accounts) {
        try {
          if (await rotateAccount(instance, account)) count += 1
        } catch (cause) {
          log.error('account.rotation_failed', {
            instance: instance.domain,
            accountId: account._id,
            cause: describeError(cause),
          })
        }
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    return count
  }

  return async () => {
    let count = 0
    let cursor: string | undefined
    do {
      const page = await instances.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
      for (const instance of page.instances) {
        if (instance.status !== 'deleting') count += await rotateInstance(instance)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    log.info('account.keys_rotated', { accounts: count })
    return count
  }
}
