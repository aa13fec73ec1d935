import type { Store } from '@svc/store'
import {
  checkStored,
  KNOWN_VERSIONS,
  type KnownVersions,
  StoreVersionError,
} from '../storage/store-version.ts'
import { type Check, type Finding, ok, warning } from './check.ts'

const ID = 'store.version'

/** What a check of the store's version asks. */
interface VersionContext {
  readonly store?: Store
}

/** Whether this product can use the store, and whether it was raised to what this product writes. @see operation.md 5 */
export const storeVersion: Check<VersionContext> = {
  id: ID,
  when: 'start',
  run: ({ store }) => judgeVersion(store),
}

export async function judgeVersion(
  store: Store | undefined,
  known: KnownVersions = KNOWN_VERSIONS,
): Promise<Finding[]> {
  if (store === undefined) return []
  try {
    const version = (await checkStored(store, known)) ?? 1
    const { product, writes } = known
    if (version === writes)
      return [ok(`The store is of version ${version}, as Svc ${product} has it.`)]
    return [
      warning(
        `The store is of version ${version}, and Svc ${product} writes version ${writes}.`,
        'Run svc store upgrade once every process is of this version.',
      ),
    ]
  } catch (error) {
    if (!(error instanceof StoreVersionError)) throw error
    return [versionFault(error)]
  }
}

/** Its words say already what to do. */
export function versionFault(error: StoreVersionError): Finding & { readonly id: string } {
  return { id: ID, state: 'fault', text: error.message }
}
