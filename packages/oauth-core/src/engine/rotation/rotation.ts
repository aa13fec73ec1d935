import { type Instance, type Keyring, SECOND_MS, type SigningKey } from '@svc/platform'
import { digestOf, type GrantRecord, isDigestOf, type RotationRecord } from '../grant.ts'
import { isTagRight, parseRotatingToken, type RotatingToken, successorOf } from './refresh-token.ts'

/** How long a replaced token is still answered, once what came of it was used. */
export const REPEAT_MS: number = 30 * SECOND_MS
/** How many replaced tokens a grant remembers. */
const MAX_RETIRED = 8

/**
 * What a presented refresh token is to its grant. `current`: it is rotated. `repeated`: its answer may have been lost, so
 * it comes again. `reused`: ours, and too old. `wrong`: not ours, whatever grant it begins with.
 */
export type Presented =
  | { readonly state: 'current' | 'repeated'; readonly token: RotatingToken; readonly kid?: string }
  | { readonly state: 'reused' | 'wrong' }

const WRONG: Presented = { state: 'wrong' }

/** @see assistants.md 3.6 */
export async function judgeRefreshToken(
  { keyring, clock }: { readonly keyring: Keyring; readonly clock: { now(): number } },
  instance: Instance,
  grant: GrantRecord & { readonly rotation: RotationRecord },
  text: string,
): Promise<Presented> {
  const token = parseRotatingToken(text)
  const { generation, retired } = grant.rotation
  if (token === undefined || token.generation > generation) return WRONG
  const key = await keyring.find(instance, 'refresh', token.kid)
  if (key === undefined || !isTagRight(key, token)) return WRONG
  if (token.generation === generation) {
    return isDigestOf(grant.refreshToken, text) ? { state: 'current', token } : WRONG
  }
  const known = retired.find((one) => one.generation === token.generation)
  if (known === undefined) return { state: 'reused' }
  if (!isDigestOf(known.hash, text)) return WRONG
  const isGood = known.until === undefined || clock.now() < known.until
  return isGood ? { state: 'repeated', token, kid: known.kid } : { state: 'reused' }
}

/** The grant once its current token was replaced, and what replaced it. */
export function rotateGrant(
  grant: GrantRecord & { readonly rotation: RotationRecord },
  token: RotatingToken,
  key: SigningKey,
  now: number,
): { readonly value: GrantRecord; readonly refreshToken: string } {
  const { generation, retired } = grant.rotation
  const refreshToken = successorOf(key, token)
  const replaced = { generation, hash: digestOf(token.text), kid: key.kid }
  const earlier = endUnused(retired, now).filter(({ until = 0 }) => until > now)
  const rotation = {
    generation: generation + 1,
    retired: [replaced, ...earlier].slice(0, MAX_RETIRED),
  }
  return { value: { ...grant, refreshToken: digestOf(refreshToken), rotation }, refreshToken }
}

/** Whoever holds the current token has used it: its predecessor ends. @see decision D81 */
export function endUnused(
  retired: RotationRecord['retired'],
  now: number,
): RotationRecord['retired'] {
  return retired.map((one) => (one.until === undefined ? { ...one, until: now + REPEAT_MS } : one))
}

/** Access tokens of a rotating grant name the refresh token that they came with. */
export function jtiOf(id: string, generation: number): string {
  return `${id}.${generation}`
}

export function generationOf(jti: string | undefined): number | undefined {
  const [, digits] = /\.(\d{1,10})$/.exec(jti ?? '') ?? []
  return digits === undefined ? undefined : Number(digits)
}
