import { randomBytes } from 'node:crypto'
import { DAY_MS, type Instance, type RateLimits } from '@svc/platform'
import type { StoredRecord } from '@svc/store'
import { type Client, isPublic } from '../../clients/client.ts'
import { OAuthError } from '../../errors.ts'
import type { OAuthBucket } from '../../options.ts'
import type { Engine } from '../engine.ts'
import { type GrantRecord, notAfterEnd, revokeGrant, type RotationRecord } from '../grant.ts'
import { commitUnit, type UnitOfWork } from '../unit-of-work.ts'
import { makeRotatingToken, successorOf } from './refresh-token.ts'
import { judgeRefreshToken, rotateGrant } from './rotation.ts'

// What surrounds the engine's token endpoint where refresh tokens rotate: of clients without a secret.
// @see assistants.md 3.5, 3.6

const SECRET_BYTES = 32
/** How long a rotating refresh token lives without being used. */
const UNUSED_MS = 30 * DAY_MS

export interface RotationServices {
  readonly engine: Engine
  readonly limits: Pick<RateLimits<OAuthBucket>, 'hit'>
}

type RotatingGrant = GrantRecord & { readonly rotation: RotationRecord }

/** Makes the first refresh token of a code's grant, or looks at the one that is presented. */
export async function prepareRotation(
  engine: Engine,
  unit: UnitOfWork,
  client: Client,
  asked: { readonly grantType: string; readonly token: string },
): Promise<void> {
  const { instance } = unit
  const grant = unit.grant?.record?.value
  if (grant === undefined || grant.clientId !== client.id) return
  if (asked.grantType === 'authorization_code' && isPublic(client)) {
    const key = await engine.keyring.current(instance, 'refresh')
    unit.firstToken = makeRotatingToken(key, grant.id, 0, randomBytes(SECRET_BYTES))
    unit.generation = 0
  } else if (asked.grantType === 'refresh_token' && isRotating(grant)) {
    unit.presented = await judgeRefreshToken(engine, instance, grant, asked.token)
  }
}

/** After a refusal: a token that is ours and too old ends its grant. Nothing else ever does. */
export async function endReused(
  engine: Engine,
  { instance, presented, grant }: UnitOfWork,
  client: Client,
): Promise<void> {
  if (presented === undefined) return
  const grantId = grant?.record?.value.id
  const isReused = presented.state === 'reused' && grantId !== undefined
  engine.emitter.emit('token.rotated', {
    instance,
    client,
    outcome: isReused ? 'reuse' : 'refused',
  })
  if (!isReused) return
  engine.log.warn('refresh.reuse', { domain: instance.domain, clientId: client.id })
  await revokeGrant(engine, instance, grantId, 'refresh_reuse')
}

/**
 * Puts the successor in the place of the token that was presented, in one conditional write; of parallel ones all get
 * the same. @returns false when the refresh token does not rotate
 * @throws OAuthError `invalid_grant`, 429 over the limit of the grant
 */
export async function finishRotation(
  { engine, limits }: RotationServices,
  unit: UnitOfWork,
  client: Client,
): Promise<boolean> {
  if (unit.presented === undefined) return false
  await limits.hit(unit.instance, 'refresh', unit.grant?.record?.value.id)
  for (;;) {
    const outcome = await rotateOnce(engine, unit)
    if (outcome !== 'again') {
      const { instance } = unit
      if (outcome === 'refused') break
      engine.emitter.emit('token.rotated', { instance, client, outcome })
      return true
    }
    await readAgain(engine, unit)
  }
  await endReused(engine, unit, client)
  throw new OAuthError('invalid_grant', { description: 'grant request is invalid' })
}

async function rotateOnce(
  engine: Engine,
  unit: UnitOfWork,
): Promise<'again' | 'refused' | 'repeated' | 'rotated'> {
  const { keyring, clock, lifetimes } = engine
  const { instance, presented, grant } = unit
  const value = grant?.record?.value
  if (grant === undefined || value === undefined || !isRotating(value)) return 'refused'
  if (presented === undefined || !('token' in presented)) return 'refused'
  const { token, kid } = presented
  unit.generation = token.generation + 1
  if (kid !== undefined) {
    const maker = await keyring.find(instance, 'refresh', kid)
    if (maker === undefined) return 'refused'
    unit.refreshToken = successorOf(maker, token)
    return 'repeated'
  }
  const now = clock.now()
  const key = await keyring.current(instance, 'refresh')
  const rotated = rotateGrant(value, token, key, now)
  const unused = Math.min(lifetimes.refreshTokenMs, UNUSED_MS) + lifetimes.accessTokenMs
  grant.next = { value: rotated.value, expiresAt: notAfterEnd(value, now + unused) }
  unit.refreshToken = rotated.refreshToken
  return (await commitUnit(engine, unit)) ? 'rotated' : 'again'
}

/** Somebody else changed the grant meanwhile: most likely by the same token. */
async function readAgain(engine: Engine, unit: UnitOfWork): Promise<void> {
  const { instance, grant, presented } = unit
  if (grant === undefined || presented === undefined || !('token' in presented)) return
  const record = await engine.store.get<GrantRecord>(grant.key)
  unit.grant = { key: grant.key, record }
  unit.presented = await judgeAgain(engine, instance, record, presented.token.text)
}

async function judgeAgain(
  engine: Engine,
  instance: Instance,
  record: StoredRecord<GrantRecord> | undefined,
  text: string,
): Promise<NonNullable<UnitOfWork['presented']>> {
  if (record === undefined || !isRotating(record.value)) return { state: 'wrong' }
  return judgeRefreshToken(engine, instance, record.value, text)
}

export function isRotating(grant: GrantRecord): grant is RotatingGrant {
  return grant.rotation !== undefined
}
