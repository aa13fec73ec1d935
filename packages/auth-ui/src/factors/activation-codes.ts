import { hkdfSync, type KeyObject } from 'node:crypto'
import { type Instance, MINUTE_MS, randomId } from '@svc/platform'
import { type Change, type Key, recordKey } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import type { Owner } from '../owner/owner.ts'
import { isWithinLimit } from '../rate-limits.ts'
import type { AuthUiServices } from '../services.ts'
import { describeVisitor, type Visitor } from '../web/visitor.ts'
import { otplib } from './otplib.ts'
import { isPasscode } from './passcode.ts'

/** The code itself is not stored: it follows from key, address and the time it was sent. */
type Pending = {
  /** Of the counter of wrong tries. */
  readonly id: string
  readonly stamp: string
  readonly address: string
  /** Milliseconds since the epoch. */
  readonly sentAt: number
}

type Checking = Pick<AuthUiServices, 'keyring' | 'limits' | 'store'>
type Sending = Pick<AuthUiServices, 'clock' | 'lifetimes' | 'log' | 'mailer' | 'options'> & Checking

const PERIOD_S = 60

/**
 * Mails a code that proves the owner reads the mails, before mailed passcodes are switched on. One code at a time: an
 * earlier one is dead.
 * @throws AuthUiError `rate_limited`, `mail_failed`, `invalid_parameter` (no address)
 * @see login.md 3.4
 */
export async function sendActivationCode(
  services: Sending,
  visitor: Visitor,
  owner: Owner,
): Promise<void> {
  const { store, limits, mailer, clock, lifetimes } = services
  const { instance } = visitor
  const { email: address = '' } = instance
  if (address === '') {
    const description = 'the instance has no mail address'
    throw new AuthUiError('invalid_parameter', { description })
  }
  await limits.hit(instance, 'two-factor-generation')
  const now = clock.now()
  const pending = { id: randomId(), stamp: owner.securityStamp, address, sentAt: now }
  const key = keyOf(instance)
  const expiresAt = now + lifetimes.activationCode
  await store.write([{ op: 'put', key, value: pending, expiresAt }])
  try {
    await mailer.send(instance, {
      template: 'two_factor_mail_confirmation',
      variables: {
        ...(await describeVisitor(services, visitor)),
        code: await codeOf(services, instance, pending),
        minutes: Math.ceil(lifetimes.activationCode / MINUTE_MS),
      },
    })
  } catch (cause) {
    await store.write([{ op: 'delete', key }])
    throw new AuthUiError('mail_failed', { cause })
  }
}

/**
 * The change that uses the code up, or undefined when it is not right, or no longer: five minutes, five tries.
 * @throws AuthUiError `rate_limited`
 */
export async function checkActivationCode(
  services: Checking,
  instance: Instance,
  owner: Owner,
  typed: string,
): Promise<Change | undefined> {
  const record = await services.store.get<Pending>(keyOf(instance))
  if (record === undefined) return undefined
  const { value: pending, key, revision } = record
  if (pending.stamp !== owner.securityStamp || pending.address !== instance.email) return undefined
  if (!(await isRight(services, instance, pending, typed))) return undefined
  return { op: 'delete', key, ifRevision: revision }
}

/** Counted before it is compared, so that parallel guesses count one by one. */
async function isRight(
  services: Checking,
  instance: Instance,
  pending: Pending,
  typed: string,
): Promise<boolean> {
  const { limits } = services
  const releaseTry = () => limits.release(instance, 'activation-code', pending.id)
  if (!(await isWithinLimit(limits, instance, 'activation-code', pending.id))) return false
  try {
    await limits.hit(instance, 'two-factor')
  } catch (error) {
    // Nothing was compared.
    await releaseTry()
    throw error
  }
  if (!isPasscode(await codeOf(services, instance, pending), typed)) return false
  await limits.release(instance, 'two-factor')
  await releaseTry()
  return true
}

async function codeOf(
  { keyring }: Checking,
  instance: Instance,
  { address, sentAt }: Pending,
): Promise<string> {
  const { messageKey } = await keyring.current(instance, 'session')
  return activationCode(messageKey, address, Math.floor(sentAt / 1000))
}

/**
 * Six digits of HKDF and TOTP (SHA-256, 60 s), as existing servers make them.
 * @param key - `messageKey` of the instance's session key
 * @param timeS - seconds since the epoch
 * @see login.md 3.4
 */
export function activationCode(key: KeyObject, address: string, timeS: number): string {
  return otplib().generateSync({
    secret: new Uint8Array(hkdfSync('sha256', key, '', address, 32)),
    algorithm: 'sha256',
    digits: 6,
    period: PERIOD_S,
    epoch: timeS,
  })
}

function keyOf(instance: Instance): Key {
  return recordKey(instance.id, 'activation-code', 'mail')
}
