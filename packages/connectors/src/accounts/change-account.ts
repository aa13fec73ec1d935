import type { Instance } from '@svc/platform'
import type { AccountStore } from '../ports.ts'
import type { AccountDocument } from './account.ts'

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
 * @throws Error when it keeps changing, or whatever the store throws
 */
export async function changeAccount(
  store: AccountStore,
  instance: Instance,
  account: AccountDocument,
  change: (current: AccountDocument) => AccountDocument | undefined,
): Promise<ChangeResult> {
  let current: AccountDocument | undefined = account
  for (let tries = 0; tries < TRIES; tries += 1) {
    const next = change(current)
    if (next === undefined) return { written: false, account: current }
    const written = await store.update(instance, next)
    if (written !== undefined) return { written: true, account: written }
    current = await store.get(instance, account._id)
    if (current === undefined) return undefined
  }
  throw new Error('an account keeps changing')
}
