import { createSecretKey } from 'node:crypto'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import {
  isPasskeyChallenge,
  newPasskeyChallenge,
  type PasskeyPurpose,
} from '../../../src/factors/passkey-challenge.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

const TOKEN = 'a'.repeat(32)
const OTHER = 'b'.repeat(32)
const MINUTE_MS = 60_000

describe('challenges of passkeys', () => {
  const clock = fakeClock()
  const instance = sampleInstance()
  const withKey = (fill: number) => ({
    clock,
    lifetimes: DEFAULT_LIFETIMES,
    keyring: {
      current: async () => ({ messageKey: createSecretKey(Buffer.alloc(32, fill)) }),
    } as never,
  })
  const services = withKey(1)
  const make = (purpose: PasskeyPurpose = 'login'): Promise<string> =>
    newPasskeyChallenge(services, instance, purpose, TOKEN)
  const isGood = (challenge: string, tokens: readonly string[] = [TOKEN]): Promise<boolean> =>
    isPasskeyChallenge(services, instance, 'login', tokens, challenge)

  it('are 32 bytes, never twice the same, good for five minutes', async () => {
    const [one, other] = [await make(), await make()]
    expect(Buffer.from(one, 'base64url')).to.have.lengthOf(32)
    expect(one).not.to.equal(other)
    expect(await isGood(one)).to.equal(true)
    clock.advance(5 * MINUTE_MS - 1)
    expect(await isGood(one)).to.equal(true)
    clock.advance(1001)
    expect(await isGood(one)).to.equal(false)
  })

  it('are good for the browser that asked, one of its cookies being enough', async () => {
    const challenge = await make()
    expect(await isGood(challenge, [OTHER, TOKEN])).to.equal(true)
    expect(await isGood(challenge, [OTHER])).to.equal(false)
    expect(await isGood(challenge, [])).to.equal(false)
  })

  it('are good for their purpose, and under the session key of their time', async () => {
    expect(await isGood(await make('confirm'))).to.equal(false)
    const challenge = await make()
    expect(await isPasskeyChallenge(withKey(2), instance, 'login', [TOKEN], challenge)).to.equal(
      false,
    )
  })

  it('are of no use changed in any bit, or as another text', async () => {
    const bytes = Buffer.from(await make(), 'base64url')
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await isGood(changed.toString('base64url')), `byte ${at}`).to.equal(false)
    }
    for (const text of ['', 'x', 'A'.repeat(43), `${bytes.toString('base64url')}A`, '\u0000'])
      expect(await isGood(text)).to.equal(false)
  })

  it('have one spelling: used ones are found by their text (D103)', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const challenge = await make()
    const last = alphabet.indexOf(challenge.slice(-1))
    for (const stray of [1, 2, 3])
      expect(await isGood(challenge.slice(0, -1) + alphabet[last ^ stray])).to.equal(false)
  })
})
