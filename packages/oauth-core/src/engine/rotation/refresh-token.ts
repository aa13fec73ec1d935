import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SigningKey } from '@svc/platform'
import { claimedGrant, tokenOfGrant } from '../grant.ts'

/**
 * A rotating refresh token: the grant's id, and in base64url generation, number of the key that made it, secret and
 * tag. What follows a token is computed from it, so that the same token always leads to the same one and no secret is
 * stored.
 * @see assistants.md 3.5
 */
export interface RotatingToken {
  readonly text: string
  readonly grantId: string
  /** The first of a grant has 0. */
  readonly generation: number
  /** The `refresh` key that made it. */
  readonly kid: string
  readonly secret: Buffer
  readonly tag: Buffer
}

const GENERATION_BYTES = 4
const KEY_BYTES = 4
const SECRET_BYTES = 32
const TAG_BYTES = 16
const HEAD_BYTES = GENERATION_BYTES + KEY_BYTES
const BYTES = HEAD_BYTES + SECRET_BYTES + TAG_BYTES

/** Takes a token apart; undefined for what cannot be one. Its tag is not checked. */
export function parseRotatingToken(text: string): RotatingToken | undefined {
  const grantId = claimedGrant(text)
  if (grantId === undefined) return undefined
  const body = text.slice(grantId.length)
  const bytes = Buffer.from(body, 'base64url')
  if (bytes.length !== BYTES || bytes.toString('base64url') !== body) return undefined
  return {
    text,
    grantId,
    generation: bytes.readUInt32BE(0),
    kid: `refresh.${bytes.readUInt32BE(GENERATION_BYTES)}`,
    secret: bytes.subarray(HEAD_BYTES, HEAD_BYTES + SECRET_BYTES),
    tag: bytes.subarray(HEAD_BYTES + SECRET_BYTES),
  }
}

/** @param secret - 32 bytes that nobody else knows */
export function makeRotatingToken(
  key: SigningKey,
  grantId: string,
  generation: number,
  secret: Buffer,
): string {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(generation)
  head.writeUInt32BE(Number(key.kid.slice('refresh.'.length)), GENERATION_BYTES)
  const tag = macOf(key, 'tag', grantId, head, secret).subarray(0, TAG_BYTES)
  return tokenOfGrant(grantId, Buffer.concat([head, secret, tag]).toString('base64url'))
}

/** Whether the key made the token: then its secret is right as well, since the tag covers it. */
export function isTagRight(key: SigningKey, token: RotatingToken): boolean {
  const { grantId, secret, tag } = token
  const expected = macOf(key, 'tag', grantId, headOf(token), secret).subarray(0, TAG_BYTES)
  return timingSafeEqual(expected, tag)
}

/** What follows a token: always the same, for the same key. */
export function successorOf(key: SigningKey, token: RotatingToken): string {
  const { grantId, generation, secret } = token
  const next = macOf(key, 'successor', grantId, headOf(token), secret)
  return makeRotatingToken(key, grantId, generation + 1, next)
}

function headOf({ generation, kid }: RotatingToken): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(generation)
  head.writeUInt32BE(Number(kid.slice('refresh.'.length)), GENERATION_BYTES)
  return head
}

/** Every part but the first two has one length. */
function macOf(
  key: SigningKey,
  purpose: 'successor' | 'tag',
  grantId: string,
  head: Buffer,
  secret: Buffer,
): Buffer {
  const mac = createHmac('sha256', key.hmacKey).update(`refresh-token ${purpose} ${grantId}`)
  return mac.update(head).update(secret).digest()
}
