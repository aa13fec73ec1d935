import { noteUnknown, originOf } from '../web/activity.ts'
import { setTimeout as wait } from 'node:timers/promises'
import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import { AuthUiError } from '../errors.ts'
import { isFirstWay, type Passkey, withPasskey } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import { isWithinLimit, requireWithinLimit } from '../rate-limits.ts'
import type { AuthUiServices } from '../services.ts'
import { securityUrl } from '../web/settings-app.ts'
import { describeVisitor, type Visitor } from '../web/visitor.ts'
import {
  isPasskeyChallenge,
  isPasskeyChallengeUsed,
  newPasskeyChallenge,
  type PasskeyPurpose,
  usePasskeyChallenge,
} from './passkey-challenge.ts'
import { loadLibrary, relyingParty, userId } from './passkeys.ts'
import { type ClientData, parseAssertion } from './webauthn-json.ts'

/** What a browser answers with, in place of passphrase and second step. */
export interface PasskeyAnswer {
  readonly purpose: PasskeyPurpose
  /** Tokens of the CSRF cookies it came with. */
  readonly csrfTokens: readonly string[]
  /** `AuthenticationResponseJSON` as text, from outside. */
  readonly credential: string
}

/** A passkey that proved its owner. */
export interface PasskeyProof {
  /** With counter and time of the passkey moved on. */
  readonly owner: Owner
  /** The one that was shown, after this use. */
  readonly passkey: Passkey
  /** Uses the challenge up and stores the owner: part of the write that the proof is for. */
  readonly changes: readonly [used: Change, owner: Change]
}

/** What was signed, read and within its time. */
interface Signed {
  readonly answer: AuthenticationResponseJSON
  readonly clientData: ClientData
}

const MAX_CREDENTIAL_CHARS = 16_384
const TIMEOUT_MS = 300_000
/** What is refused is refused after this time, whatever was wrong with it. Longer than any check takes. */
const REFUSAL_MS = 40

/** For `navigator.credentials.get`: the same whether there are passkeys or not; nothing is stored. */
export async function passkeyLoginOptions(
  services: Pick<AuthUiServices, 'clock' | 'keyring'>,
  instance: Instance,
  purpose: PasskeyPurpose,
  csrfToken: string,
): Promise<Readonly<Record<string, unknown>>> {
  return {
    rpId: relyingParty(instance),
    challenge: await newPasskeyChallenge(services, instance, purpose, csrfToken),
    timeout: TIMEOUT_MS,
    userVerification: 'required',
  }
}

/**
 * Whether this address may answer with passkeys now. Refused ones are counted per address and nowhere else: they cannot
 * be guessed.
 * @throws AuthUiError `rate_limited`
 */
export async function requirePasskeyTries(
  { limits, options }: Pick<AuthUiServices, 'limits' | 'options'>,
  { instance, address }: Visitor,
): Promise<void> {
  await requireWithinLimit(limits, options.limits['passkey-ip'], instance, 'passkey-ip', address)
}

/**
 * Checks what a passkey signed. Nothing is written before the signature is right, apart from the count of refusals.
 * @throws AuthUiError `passkey_expired`, `passkey_invalid`, `passkey_unknown`, `rate_limited`
 * @see owner.md 2.4
 */
export async function provePasskey(
  services: AuthUiServices,
  visitor: Visitor,
  answer: PasskeyAnswer,
): Promise<PasskeyProof> {
  await requirePasskeyTries(services, visitor)
  const startedAt = performance.now()
  try {
    return await prove(services, visitor, answer)
  } catch (error) {
    if (!AuthUiError.is(error)) throw error
    const { instance, address } = visitor
    services.log.info('login.failed', { domain: instance.domain, code: error.code, address })
    await services.oauth.activity.refused(instance, {
      event: 'login.failed',
      reason: error.code,
      actor: { kind: 'unknown' },
      origin: originOf(address, visitor.userAgent),
    })
    await isWithinLimit(services.limits, instance, 'passkey-ip', address)
    const restMs = Math.ceil(REFUSAL_MS - (performance.now() - startedAt))
    if (error.code === 'passkey_invalid' && restMs > 0) await wait(restMs)
    throw error
  }
}

async function prove(
  services: AuthUiServices,
  visitor: Visitor,
  { purpose, csrfTokens, credential }: PasskeyAnswer,
): Promise<PasskeyProof> {
  const { instance } = visitor
  const signed = credential.length > MAX_CREDENTIAL_CHARS ? undefined : parseAssertion(credential)
  if (signed === undefined) throw new AuthUiError('passkey_invalid')
  const { challenge } = signed.clientData
  if (!(await isPasskeyChallenge(services, instance, purpose, csrfTokens, challenge))) {
    throw new AuthUiError('passkey_expired')
  }
  // The owner is read first: whoever sees a counter that another use of this challenge moved sees that use as well.
  const stored = await services.owners.get(instance.id)
  if (await isPasskeyChallengeUsed(services, instance, challenge)) {
    throw new AuthUiError('passkey_expired')
  }
  const passkeys = stored?.owner.factors?.passkeys ?? []
  const passkey = passkeys.find(({ id }) => id === signed.answer.id)
  if (stored === undefined || passkey === undefined) throw new AuthUiError('passkey_unknown')
  const used = await verify(services, visitor, stored.owner, passkey, signed)
  const owner = { ...stored.owner, factors: withPasskey(stored.owner.factors, used) }
  return {
    owner,
    passkey: used,
    changes: [
      usePasskeyChallenge(services, instance, challenge),
      services.owners.replace(instance.id, stored, owner),
    ],
  }
}

/** The passkey as it is after this use. @throws AuthUiError `passkey_invalid` */
async function verify(
  services: AuthUiServices,
  visitor: Visitor,
  owner: Owner,
  passkey: Passkey,
  { answer, clientData }: Signed,
): Promise<Passkey> {
  const { instance, address } = visitor
  const { verifyAuthenticationResponse } = await loadLibrary()
  const verification = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: clientData.challenge,
    expectedOrigin: instance.origin,
    expectedRPID: relyingParty(instance),
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      // Judged below: what a lower one means depends on the kind of credential.
      counter: -1,
    },
    requireUserVerification: true,
  }).catch(() => undefined)
  const isOwners = answer.response.userHandle === userId(instance).toString('base64url')
  const isFirst = isFirstWay(passkey, owner.securityStamp)
  if (verification?.verified !== true || !isOwners || !isFirst) {
    throw new AuthUiError('passkey_invalid')
  }
  const { newCounter, credentialDeviceType, credentialBackedUp } = verification.authenticationInfo
  const wasMulti = passkey.deviceType === 'multiDevice'
  if (wasMulti && credentialDeviceType === 'singleDevice') throw new AuthUiError('passkey_invalid')
  const hasNone = newCounter === 0 && passkey.counter === 0
  if (!hasNone && newCounter <= passkey.counter) {
    if (!wasMulti) {
      await suspend(services, visitor, passkey)
      throw new AuthUiError('passkey_invalid')
    }
    services.log.info('passkey.counter_lower', { domain: instance.domain, address })
  }
  return {
    ...passkey,
    counter: newCounter,
    deviceType: credentialDeviceType,
    backedUp: credentialBackedUp,
    lastUsed: services.clock.now(),
  }
}

/** A device that cannot be copied showed a counter of the past: somebody may have a copy of its key. */
async function suspend(
  services: AuthUiServices,
  visitor: Visitor,
  { id, label }: Passkey,
): Promise<void> {
  const { instance, address } = visitor
  const written = await services.owners.update(
    instance.id,
    (owner) => {
      const known = owner.factors?.passkeys?.find((each) => each.id === id)
      if (known?.firstWay !== true) return undefined
      return { ...owner, factors: withPasskey(owner.factors, { ...known, firstWay: false }) }
    },
    noteUnknown(services, visitor, { event: 'passkey.suspended' }),
  )
  if (written === undefined) return
  services.log.warn('passkey.suspended', { domain: instance.domain, address })
  const facts = await describeVisitor(services, visitor)
  services.background.run('mail.passkey_suspended', async () => {
    const url = await securityUrl(services, instance)
    await services.mailer.send(instance, {
      template: 'passkey_suspended',
      variables: { ...facts, label, url },
    })
  })
}
