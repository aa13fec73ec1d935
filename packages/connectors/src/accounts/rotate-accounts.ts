import type { Instance } from '@svc/platform'
import { describeError } from '@svc/store'
import type { ConnectorsServices } from '../services.ts'
import type { AccountDocument } from './account.ts'
import { changeAccount } from './account-changes.ts'
import { renewValue, type SealServices } from './account-seal.ts'
import { replaceSealed } from './sealed-fields.ts'
import { loadAccount } from './token-journal.ts'

const PAGE = 100

/**
 * Seals with the current key what an older one sealed, in all accounts of all instances. What is current stays as it is:
 * a rotation that was cut short goes on when it is called again. An account that fails is logged and left.
 * @returns how many accounts were sealed again
 * @see connectors.md 7.3.3
 */
export async function rotateAccounts(services: ConnectorsServices): Promise<number> {
  const { instances, log } = services
  let count = 0
  let cursor: string | undefined
  do {
    const page = await instances.list({ limit: PAGE, ...(cursor !== undefined && { cursor }) })
    for (const instance of page.instances) {
      if (instance.status !== 'deleting') count += await rotateInstance(services, instance)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  log.info('account.keys_rotated', { accounts: count })
  return count
}

async function rotateInstance(services: ConnectorsServices, instance: Instance): Promise<number> {
  const { accounts, log } = services
  let count = 0
  let cursor: string | undefined
  do {
    const page = await accounts.list(instance, {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    })
    for (const { _id: accountId } of page.accounts) {
      try {
        if (await rotateAccount(services, instance, accountId)) count += 1
      } catch (error) {
        const cause = describeError(error)
        log.error('account.rotation_failed', { domain: instance.domain, accountId, cause })
      }
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return count
}

async function rotateAccount(
  services: ConnectorsServices,
  instance: Instance,
  accountId: string,
): Promise<boolean> {
  // Loaded anew: tokens that wait to be merged were sealed with some key too.
  const loaded = await loadAccount(services, instance, accountId)
  if (loaded === undefined) return false
  const result = await changeAccount(services, instance, loaded.account, (current) =>
    renewed(services, instance, current),
  )
  return result?.written === true
}

function renewed(
  services: SealServices,
  instance: Instance,
  account: AccountDocument,
): AccountDocument | undefined {
  const accountId = account._id
  return replaceSealed(account, (field, sealed) =>
    // Other seals than ours may stand beside them.
    sealed.startsWith('v1.')
      ? renewValue(services, { instance, accountId, field }, sealed)
      : undefined,
  )
}
