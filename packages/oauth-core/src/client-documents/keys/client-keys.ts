import { HOUR_MS, type Instance, MINUTE_MS, type Outbound, type RateLimits } from '@svc/platform'
import { type IndexKey, indexKey, type Key, secretKey, type Store } from '@svc/store'
import { OAuthError } from '../../errors.ts'
import { DocumentError } from '../document-error.ts'
import { documentTag } from '../document-cache.ts'
import type { LookUpLimits } from '../document-limits.ts'
import { findIdentifierFault } from '../identifier.ts'
import { fetchDocument, MAX_KEYS_BYTES } from '../fetching/fetch-document.ts'
import { parseStrictJson } from '../fetching/strict-json.ts'
import { SharedRuns } from '../shared-runs.ts'
import { type ClientKey, readKeySet } from './key-set.ts'

/** A key set as it is kept, for every instance. */
type StoredKeys = {
  readonly keys: readonly ClientKey[]
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number
}

export const KEY_SET_KIND = 'cimd-key-set'
export const KEY_SET_INDEX = 'cimd-key-sets'
/** SPEC: assistants.md 2.12 - how long a set is kept, and how long a key that is not in it is waited for. */
const KEPT_MS = HOUR_MS
const AGAIN_MS = 5 * MINUTE_MS
const MAX_DEPTH = 4

interface ClientKeysOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly limits: LookUpLimits
  /** One more look for an unknown key, a client and 5 minutes. */
  readonly again: Pick<RateLimits<'cimd-keys'>, 'hit'>
  readonly outbound: Outbound
}

/** Keys of clients that publish them at an address. @see assistants.md 2.12 */
export class ClientKeys {
  readonly #options: ClientKeysOptions
  readonly #fetches = new SharedRuns<StoredKeys>()

  constructor(options: ClientKeysOptions) {
    this.#options = options
  }

  /**
   * The keys at an address; asked for anew when the wanted one is not among them, so that a client can replace its keys.
   * @param kid - of the wanted key; undefined: any may be
   * @throws DocumentError when they cannot be had, OAuthError 429
   */
  async find(
    instance: Instance,
    { url, keysUri }: { readonly url: string; readonly keysUri: string },
    kid: string | undefined,
  ): Promise<readonly ClientKey[]> {
    const { store, clock } = this.#options
    // The address was read when this was a server in development.
    if (findIdentifierFault(keysUri, instance.origin) !== undefined) {
      throw new DocumentError({ kind: 'unreachable' }, 'jwks_uri')
    }
    const kept = (await store.get<StoredKeys>(keysKey(keysUri)))?.value
    if (kept === undefined) return (await this.#share(instance, keysUri)).keys
    const isKnown = kid === undefined || kept.keys.some((key) => key['kid'] === kid)
    if (isKnown || clock.now() - kept.fetchedAt < AGAIN_MS) return kept.keys
    if (!(await this.#mayAskAgain(instance, url))) return kept.keys
    return (await this.#share(instance, keysUri)).keys
  }

  async #mayAskAgain(instance: Instance, url: string): Promise<boolean> {
    try {
      await this.#options.again.hit(instance, 'cimd-keys', url)
      return true
    } catch (error) {
      if (OAuthError.is(error, 'too_many_lookups')) return false
      throw error
    }
  }

  #share(instance: Instance, keysUri: string): Promise<StoredKeys> {
    return this.#fetches.run(keysUri, () => this.#fetch(instance, keysUri))
  }

  async #fetch(instance: Instance, keysUri: string): Promise<StoredKeys> {
    const { store, clock, limits, outbound } = this.#options
    await limits.count(instance, keysUri)
    const fetchedAt = clock.now()
    const { body } = await fetchDocument(outbound, keysUri, MAX_KEYS_BYTES)
    const parsed = parseStrictJson(body, MAX_DEPTH)
    const keys = 'fault' in parsed ? undefined : readKeySet(parsed.value)
    if (keys === undefined) throw new DocumentError({ kind: 'invalid' }, 'jwks')
    const value = { keys, fetchedAt }
    const expiresAt = fetchedAt + KEPT_MS
    const indexes = [{ index: indexOf(keysUri), sort: String(fetchedAt).padStart(15, '0') }]
    await store.write([{ op: 'put', key: keysKey(keysUri), value, expiresAt, indexes }])
    return value
  }
}

function keysKey(keysUri: string): Key {
  return secretKey(documentTag(keysUri), KEY_SET_KIND, keysUri)
}

function indexOf(keysUri: string): IndexKey {
  return indexKey(documentTag(keysUri), KEY_SET_INDEX)
}
