import { randomBytes } from 'node:crypto'
import {
  type AppRegistry,
  OAuthError,
  parseScope,
  type Permission,
  serializeScope,
  type SharingOffer,
  type Sharings,
} from '@svc/oauth-core'
import { type Instance } from '@svc/platform'
import { indexKey, type Json, type Key, recordKey, type Store } from '@svc/store'
import type { DiskQuota } from '../../quota/disk-quota.ts'
import { documentChange, type Fields } from '../../documents/document-store.ts'
import { createPendingOffers } from './pending-offers.ts'

/** What an owner offers to another one of the same server. */
export interface NewOffer {
  /** Id of the instance that offers. */
  readonly from: string
  readonly sharer: SharingOffer['sharer']
  readonly description: string
  readonly type: string
  /** As they were when they were offered: the demo keeps nothing in step. */
  readonly documents: readonly Fields[]
}

interface Offer extends NewOffer {
  readonly id: string
  readonly state: string
}

/** Sharings between the owners of this server, enough to see `/auth/authorize/sharing` at work. */
export interface SharingOffers extends Sharings {
  /**
   * Keeps an offer until it is accepted, for 90 days at most.
   * @returns what the invited owner opens: a path on that instance; undefined: too many wait for that owner already
   * @throws OAuthError `payload_too_large`; `quota_exceeded` when the invited owner's space is full
   */
  offer(invited: Instance, offer: NewOffer): Promise<string | undefined>
  /** Removes what is kept of an instance. */
  removeAll(instance: Instance): Promise<void>
}

export interface SharingOffersOptions {
  readonly store: Store
  readonly clock: { now(): number }
  readonly apps: Pick<AppRegistry, 'installed'>
  readonly quota?: Pick<DiskQuota, 'admit'>
}

const RANDOM_BYTES = 24
/** Of the documents, each as JSON: one of the largest that `/data` takes. @see operation.md 8.1 */
const MAX_BYTES = 65_536
const OFFER_MS = 90 * 24 * 3_600_000
const VERBS = ['GET'] as const

export function createSharingOffers(options: SharingOffersOptions): SharingOffers {
  const { store, clock, apps, quota } = options
  const pending = createPendingOffers(options)

  async function read(instance: Instance, id: string) {
    const record = await store.get(keyOf(instance, id))
    if (record === undefined) return undefined
    // Only this file writes these records.
    const offer = record.value as unknown as Offer
    return { offer, revision: record.revision }
  }

  async function toOffer(instance: Instance, offer: Offer): Promise<SharingOffer | undefined> {
    const { id, sharer, description, type } = offer
    if (sharer.domain === instance.domain) return undefined
    const hasDrive = (await apps.installed(instance, 'drive')) !== undefined
    const values = offer.documents.map((_, place) => documentId(id, place))
    const permissions: readonly Permission[] = [{ type, verbs: VERBS, values }]
    return { id, sharer, description, permissions, appSlug: hasDrive ? 'drive' : 'home' }
  }

  return {
    async find(instance, id, state) {
      const found = await read(instance, id)
      return found?.offer.state === state ? toOffer(instance, found.offer) : undefined
    },

    /** A client names the sharing, and a kind of data: of the owner's, it means what the sharing brings alone. */
    async parseRules(instance, { rules, sharingId = '' }) {
      const found = await read(instance, sharingId)
      const offer = found && (await toOffer(instance, found.offer))
      const asked = parseScope(rules)
      if (offer === undefined || asked === undefined) return undefined
      const kinds = new Set(offer.permissions.map(kindOf))
      const isMeant = asked.every((rule) => rule.values === undefined && kinds.has(kindOf(rule)))
      return isMeant ? offer : undefined
    },

    async accept(instance, { offer: { id } }) {
      // One write: of parallel answers one brings the documents, and all of them or none.
      const isAccepted = await pending.settle(instance, id, async () => {
        const found = await read(instance, id)
        if (found === undefined) return undefined
        const { offer, revision } = found
        const bring = offer.documents.map((fields, place) =>
          documentChange(instance, { type: offer.type, id: documentId(id, place), fields }),
        )
        return [{ op: 'delete', key: keyOf(instance, id), ifRevision: revision }, ...bring]
      })
      if (!isAccepted) throw gone()
      return { path: '/' }
    },

    cancelUrl: async () => undefined,

    async offer(invited, given) {
      const bytes = given.documents.reduce(
        (sum, document) => sum + Buffer.byteLength(JSON.stringify(document)),
        0,
      )
      if (bytes > MAX_BYTES) {
        const description = `an offer holds at most ${MAX_BYTES / 1024} KiB`
        throw new OAuthError('payload_too_large', { description })
      }
      const id = randomBytes(RANDOM_BYTES).toString('base64url')
      const state = randomBytes(RANDOM_BYTES).toString('base64url')
      const expiresAt = clock.now() + OFFER_MS
      await quota?.admit(invited, { bytes })
      const isKept = await pending.add(
        invited,
        { id, from: given.from, expiresAt },
        put(invited, { ...given, id, state }, expiresAt),
      )
      return isKept ? `/auth/authorize/sharing?sharing_id=${id}&state=${state}` : undefined
    },

    async removeAll(instance) {
      await pending.removeAll(instance)
      for (;;) {
        const page = await store.list(indexKey(instance.id, 'sharing-offers'))
        if (page.records.length > 0) {
          await store.write(page.records.map(({ key }) => ({ op: 'delete', key })))
        } else if (page.cursor === undefined) {
          return
        }
      }
    },
  }
}

const PREFIX = 'shared-'

/** As the documents of a sharing are called where it was accepted. */
function documentId(sharingId: string, place: number): string {
  return `${PREFIX}${sharingId}-${place}`
}

/** Whether a document came with a sharing. */
export function isOfSharing(documentId: string): boolean {
  return documentId.startsWith(PREFIX)
}

function kindOf({ type, verbs }: Permission): string {
  return serializeScope([{ type, verbs }])
}

function put(instance: Instance, offer: Offer, expiresAt: number) {
  return {
    op: 'put',
    key: keyOf(instance, offer.id),
    value: offer as unknown as Json, // An interface has no index signature; this one is plain JSON.
    expiresAt,
    indexes: [{ index: indexKey(instance.id, 'sharing-offers'), sort: '' }],
  } as const
}

function keyOf(instance: Instance, id: string): Key {
  return recordKey(instance.id, 'sharing-offer', id)
}

/** What the other side would answer. */
function gone(): OAuthError {
  return new OAuthError('conflict', { description: 'the sharing is accepted already' })
}
