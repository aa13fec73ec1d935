import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { OwnFactor } from '@svc/auth-ui'

/** Presses of the button that nobody sent: so many codes ahead are looked at (RFC 4226 7.4). */
const LOOK_AHEAD = 10
const DIGITS = 6

/** What is kept: the secret of the token, and the first counter that was not used. */
interface TokenState {
  /** Base64. */
  readonly secret: string
  readonly counter: number
}

/** A token that makes one code for each press of its button: HOTP, RFC 4226. */
export const counterToken: OwnFactor = {
  name: 'token',
  label: { en: 'Counter token', fr: 'Jeton à compteur', de: 'Zähler-Token', es: 'Token contador' },
  enrol() {
    const secret = randomBytes(20)
    const state: TokenState = { secret: secret.toString('base64'), counter: 0 }
    return { show: { secret: secret.toString('hex') }, state: JSON.stringify(state) }
  },
  verify(state, answer) {
    const { secret, counter } = JSON.parse(state) as TokenState
    const key = Buffer.from(secret, 'base64')
    const given = Buffer.from(answer)
    // Every code is compared, so that the time tells nothing about which one it was.
    const matches = Array.from({ length: LOOK_AHEAD }, (_, ahead) => {
      const code = Buffer.from(hotp(key, counter + ahead))
      return code.length === given.length && timingSafeEqual(code, given)
    })
    const ahead = matches.indexOf(true)
    if (ahead === -1) return { result: 'wrong' }
    // The counter only goes forward: this code, and those that were skipped, are wrong from now on.
    const next: TokenState = { secret, counter: counter + ahead + 1 }
    return { result: 'right', state: JSON.stringify(next) }
  },
}

/** The code of a counter. @see RFC 4226 5.3 */
export function hotp(key: Uint8Array, counter: number): string {
  const moving = Buffer.alloc(8)
  moving.writeBigUInt64BE(BigInt(counter))
  const mac = createHmac('sha1', key).update(moving).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}
