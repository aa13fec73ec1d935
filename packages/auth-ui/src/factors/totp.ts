import { randomBytes } from 'node:crypto'
import type { OAuth } from '@svc/oauth-core'
import { equalSecrets, type Instance, randomId } from '@svc/platform'
import type { ScureBase32Plugin } from 'otplib'
import type { TotpFactor } from '../owner/factors.ts'
import type { AuthUiServices } from '../services.ts'
import { otplib } from './otplib.ts'
import { digitsOf } from './passcode.ts'

const SECRET_BYTES = 20
const STEP_S = 30

/** An authenticator app that is being enrolled. */
export interface NewAuthenticator {
  /** To be kept once a code proved that the app has the secret. */
  readonly factor: TotpFactor
  /** Base32 without padding, for typing in. */
  readonly secret: string
  /** `otpauth://totp/…`, for a QR code. */
  readonly uri: string
}

/** What keeps the secrets, and the time. */
type Services = Pick<AuthUiServices, 'clock'> & { readonly oauth: Pick<OAuth, 'sealer'> }

/** The secret of an authenticator app, sealed for its instance and factor: RFC 6238 with SHA-1, 6 digits, 30 seconds. */
export function newAuthenticator({ oauth, clock }: Services, instance: Instance): NewAuthenticator {
  const bytes = randomBytes(SECRET_BYTES)
  const id = randomId()
  const secret = base32().encode(bytes, { padding: false })
  return {
    factor: {
      id,
      secret: oauth.sealer.seal(bytes, contextOf(instance, id)),
      lastStep: 0,
      createdAt: clock.now(),
    },
    secret,
    uri: otplib().generateURI({ issuer: nameOf(instance), label: labelOf(instance), secret }),
  }
}

/** The factor of an authenticator app that another program enrolled. */
export function knownAuthenticator(
  { oauth, clock }: Services,
  instanceId: string,
  secret: Uint8Array,
): TotpFactor {
  const id = randomId()
  return {
    id,
    secret: oauth.sealer.seal(secret, totpContext(instanceId, id)),
    lastStep: 0,
    createdAt: clock.now(),
  }
}

/** The bytes of a secret in base32, of either case and with spaces or padding; undefined when it is none. */
export function base32Bytes(text: string): Uint8Array | undefined {
  const plugin = base32()
  try {
    return plugin.decode(text.replaceAll(/[\s=]/gu, '').toUpperCase())
  } catch {
    return undefined
  }
}

/**
 * The factor with this code used up, or undefined when the code is wrong or its step was accepted before. One step
 * around now is taken, for clocks that differ.
 * @see RFC 6238 5.2, security.md 40
 */
export function acceptTotp(
  { oauth, clock }: Services,
  instance: Instance,
  factor: TotpFactor,
  typed: string,
): TotpFactor | undefined {
  const secret = oauth.sealer.open(factor.secret, contextOf(instance, factor.id))
  const step = matchStep(secret, typed, clock.now(), factor.lastStep)
  return step === undefined ? undefined : { ...factor, lastStep: step, lastUsed: clock.now() }
}

/**
 * The time step whose code this is: the present one or a neighbour, later than `lastStep`.
 * @param now - milliseconds since the epoch
 */
export function matchStep(
  secret: Uint8Array,
  typed: string,
  now: number,
  lastStep: number,
): number | undefined {
  const digits = digitsOf(typed)
  if (digits === undefined) return undefined
  const present = Math.floor(now / 1000 / STEP_S)
  const steps = [present - 1, present, present + 1].filter((step) => step > lastStep && step >= 0)
  const codes = steps.map((step) => codeOf(secret, step))
  // Every code is compared, so that the time tells nothing about which one it was.
  const matches = codes.map((code) => equalSecrets(code, digits))
  return steps[matches.indexOf(true)]
}

function base32(): ScureBase32Plugin {
  return new (otplib().ScureBase32Plugin)()
}

function codeOf(secret: Uint8Array, step: number): string {
  const epoch = step * STEP_S
  return otplib().generateSync({ secret, algorithm: 'sha1', digits: 6, period: STEP_S, epoch })
}

function contextOf(instance: Instance, id: string): string {
  return totpContext(instance.id, id)
}

/** What the secret of an authenticator app is sealed for. @param id - of the factor */
export function totpContext(instanceId: string, id: string): string {
  return `totp:${instanceId}:${id}`
}

/** A colon would end the issuer's name in the label of the URI. */
function nameOf(instance: Instance): string {
  return instance.domain.replaceAll(':', ' ')
}

function labelOf(instance: Instance): string {
  const { publicName = '' } = instance
  return (publicName === '' ? instance.domain : publicName).toWellFormed().replaceAll(':', ' ')
}
