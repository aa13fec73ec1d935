import { type IndexKey, indexKey, type Json, type Key, secretKey, type Store } from '@svc/store'
import type { ClientId } from '../clients/client.ts'
import { clientKey } from '../clients/client-record.ts'
import { type Instance, type InstanceId, randomAlphanumeric } from '@svc/platform'
import { CHALLENGE_MS } from '../lifetimes.ts'

// What an attestation has to be about: nonces, each for one client and one try. @see oauth.md 4.1, security.md 93

interface ChallengeServices {
  readonly store: Store
  readonly clock: { now(): number }
}

/**
 * More than 192 bits (D46). SPEC: oauth.md 4.1 - SafetyNet echoes the nonce through base64: only letters and digits, in
 * a multiple of four, come back unchanged.
 */
const LENGTH = 36
const NONCE = /^[A-Za-z0-9]{36}$/
/** Nonces of a client that wait; the oldest is dropped. @see oauth.md 1.2 */
const MAX_WAITING = 10

/** A new nonce; undefined when the client is gone. */
export async function createChallenge(
  { store, clock }: ChallengeServices,
  instance: Instance,
  clientId: ClientId,
): Promise<string | undefined> {
  const nonce = randomAlphanumeric(LENGTH)
  const now = clock.now()
  const value: Json = { createdAt: now }
  const sort = String(now).padStart(15, '0')
  const { written } = await store.write([
    { op: 'check', key: clientKey(instance.id, clientId), ifPresent: true },
    {
      op: 'put',
      key: challengeKey(instance.id, clientId, nonce),
      value,
      expiresAt: now + CHALLENGE_MS,
      indexes: [{ index: challengesIndex(instance.id, clientId), sort }],
    },
  ])
  if (!written) return undefined
  await trim(store, instance, clientId, MAX_WAITING)
  return nonce
}

/** Uses the nonce up: of N parallel callers exactly one gets `true`. @param nonce - from outside, any text */
export async function takeChallenge(
  { store }: Pick<ChallengeServices, 'store'>,
  instance: Instance,
  clientId: ClientId,
  nonce: string,
): Promise<boolean> {
  if (!NONCE.test(nonce)) return false
  return (await store.take(challengeKey(instance.id, clientId, nonce))) !== undefined
}

/** Drops those of a client whose record is gone. */
export function dropChallenges(
  { store }: Pick<ChallengeServices, 'store'>,
  instance: Instance,
  clientId: ClientId,
): Promise<void> {
  return trim(store, instance, clientId, 0)
}

async function trim(
  store: Store,
  instance: Instance,
  clientId: ClientId,
  keep: number,
): Promise<void> {
  const { records } = await store.list(challengesIndex(instance.id, clientId))
  const surplus = records.slice(0, Math.max(0, records.length - keep))
  if (surplus.length > 0) await store.write(surplus.map(({ key }) => ({ op: 'delete', key })))
}

/** The client is part of the secret: what was issued to another does not exist. */
function challengeKey(instanceId: InstanceId, clientId: ClientId, nonce: string): Key {
  return secretKey(instanceId, 'challenge', `${clientId}:${nonce}`)
}

function challengesIndex(instanceId: InstanceId, clientId: ClientId): IndexKey {
  return indexKey(instanceId, `challenges:${clientId}`)
}
