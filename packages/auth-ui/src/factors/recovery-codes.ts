import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Instance } from '@svc/platform'
import type { RecoveryCodes } from '../owner/factors.ts'

/** 31 letters and digits of which no two look alike: ten of them are 49 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const CODE_CHARS = 10
const HOW_MANY = 10
const MAX_TYPED_CHARS = 64
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_CHARS}}$`)

/** Codes to be shown once, and what is kept of them. */
export interface NewRecoveryCodes {
  /** Ten of the form `xxxxx-xxxxx`. */
  readonly codes: readonly string[]
  readonly recovery: RecoveryCodes
}

/** @param now - milliseconds since the epoch */
export function newRecoveryCodes(instance: Instance, now: number): NewRecoveryCodes {
  const codes = Array.from({ length: HOW_MANY }, randomCode)
  return {
    codes: codes.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`),
    recovery: {
      hashes: codes.map((code) => digest(instance, code).toString('hex')),
      createdAt: now,
    },
  }
}

/** The codes without the one that was typed, or undefined when it is none of them. Spaces, dashes and case do not matter. */
export function spendRecoveryCode(
  instance: Instance,
  recovery: RecoveryCodes,
  typed: string,
): RecoveryCodes | undefined {
  if (typed.length > MAX_TYPED_CHARS) return undefined
  const code = typed.replaceAll(/[\s\p{Pd}]/gu, '').toLowerCase()
  if (!CODE.test(code)) return undefined
  const sought = digest(instance, code)
  // Every hash is compared, so that the time tells nothing about which one it was.
  const isSought = recovery.hashes.map((hash) => timingSafeEqual(Buffer.from(hash, 'hex'), sought))
  const at = isSought.indexOf(true)
  return at === -1 ? undefined : { ...recovery, hashes: recovery.hashes.toSpliced(at, 1) }
}

function randomCode(): string {
  let code = ''
  while (code.length < CODE_CHARS) {
    for (const byte of randomBytes(CODE_CHARS * 2)) {
      // 248 is the largest multiple of 31 below 256: bytes above it would favour the first letters.
      if (byte < 248 && code.length < CODE_CHARS) code += ALPHABET[byte % ALPHABET.length]
    }
  }
  return code
}

/** With the instance in it, a table made for one instance is of no use for another. */
function digest(instance: Instance, code: string): Buffer {
  return createHash('sha256').update(`recovery-code:${instance.id}:${code}`).digest()
}
