import { createHash } from 'node:crypto'
import type * as WebAuthn from '@simplewebauthn/server'
import { equalSecrets, type Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import { type Passkey, withPasskey } from '../owner/factors.ts'
import { createValue, findValue, type ValueKind } from '../owner/one-time-values.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import {
  attestsNothing,
  isDiscoverable,
  parseAssertion,
  parseRegistration,
  transportsOf,
} from './webauthn-json.ts'

/** More would make the list of `allowCredentials` long, and nobody holds that many keys. */
export const MAX_PASSKEYS = 20

/** A new passkey, proven and not yet stored. */
export interface NewPasskey {
  readonly passkey: Passkey
  /** Uses the registration up; part of the write that stores the passkey. */
  readonly spent: Change
}

/** What the browser made. */
export interface NewCredential {
  /** `RegistrationResponseJSON` as text, from outside. */
  readonly json: string
  /** The owner's own name for it. */
  readonly label: string
  /** Made without user verification or without being discoverable: it never logs in alone. */
  readonly isSecondStepOnly?: boolean
}

const CHALLENGE: ValueKind = { kind: 'passkey-challenge', form: 'hex', lifetime: 'confirmCode' }

type Services = Pick<AuthUiServices, 'clock' | 'lifetimes' | 'store'>

/** ES256, EdDSA and RS256. @see RFC 9053 2, RFC 8812 2 */
export const ALGORITHMS: readonly number[] = [-7, -8, -257]
const TIMEOUT_MS = 300_000

/** Loaded with the first passkey: it is a tenth of what a server loads. */
export const loadLibrary: () => Promise<typeof WebAuthn> = () => import('@simplewebauthn/server')

/**
 * For `navigator.credentials.get`: `PublicKeyCredentialRequestOptionsJSON`; undefined without passkeys. The challenge is
 * derived from the two-factor token.
 */
export async function passkeyRequestOptions(
  instance: Instance,
  owner: Owner,
  token: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const passkeys = owner.factors?.passkeys ?? []
  if (passkeys.length === 0) return undefined
  const { generateAuthenticationOptions } = await loadLibrary()
  const request = await generateAuthenticationOptions({
    rpID: relyingParty(instance),
    challenge: assertionChallenge(token),
    allowCredentials: descriptorsOf(passkeys),
    timeout: TIMEOUT_MS,
    userVerification: 'preferred',
  })
  return { ...request }
}

/**
 * The owner with the used passkey's counter and time moved on, or undefined when the assertion is not right.
 * @param assertion - `AuthenticationResponseJSON` as text, from outside. Never throws for bad input.
 */
export async function verifyAssertion(
  { clock }: Pick<Services, 'clock'>,
  instance: Instance,
  owner: Owner,
  token: string,
  assertion: string,
): Promise<Owner | undefined> {
  const parsed = parseAssertion(assertion)
  const passkeys = owner.factors?.passkeys ?? []
  const passkey = passkeys.find(({ id }) => id === parsed?.answer.id)
  if (parsed === undefined || passkey === undefined) return undefined
  const { answer } = parsed
  const { userHandle } = answer.response
  const expected = passkey.userHandle ?? userId(instance).toString('base64url')
  if (userHandle !== undefined && expected !== '' && userHandle !== expected) return undefined
  const { verifyAuthenticationResponse } = await loadLibrary()
  const verification = await verifyAuthenticationResponse({
    response: answer,
    expectedChallenge: Buffer.from(assertionChallenge(token)).toString('base64url'),
    expectedOrigin: instance.origin,
    expectedRPID: relyingParty(instance),
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
    requireUserVerification: false,
  }).catch(() => undefined)
  if (verification?.verified !== true) return undefined
  const used = {
    ...passkey,
    counter: verification.authenticationInfo.newCounter,
    lastUsed: clock.now(),
  }
  return { ...owner, factors: withPasskey(owner.factors, used) }
}

/**
 * For `navigator.credentials.create`: `PublicKeyCredentialCreationOptionsJSON`. The relying party is the instance's host
 * without port; credentials are made and used on the instance's own pages only, so its origin is the only one that
 * counts, although apps below the domain could name the same relying party.
 * @param confirmation - code of the confirmation that allows it
 */
export async function passkeyCreationOptions(
  services: Services,
  instance: Instance,
  owner: Owner,
  confirmation: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { domain, publicName } = instance
  const user = passkeyUser(instance)
  const { generateRegistrationOptions } = await loadLibrary()
  const creation = await generateRegistrationOptions({
    rpID: relyingParty(instance),
    rpName: publicName === undefined || publicName === '' ? domain : publicName,
    userID: new Uint8Array(userId(instance)),
    userName: user.name,
    userDisplayName: user.displayName,
    challenge: await createValue(services, CHALLENGE, instance, owner, digest(confirmation)),
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: descriptorsOf(owner.factors?.passkeys ?? []),
    supportedAlgorithmIDs: [...ALGORITHMS],
    timeout: TIMEOUT_MS,
  })
  return { ...creation }
}

/**
 * Checks what the browser made, for the confirmation its options were made for; undefined when it is not right.
 * Never throws for bad input.
 */
export async function verifyRegistration(
  services: Services,
  instance: Instance,
  owner: Owner,
  confirmation: string,
  { json, label, isSecondStepOnly = false }: NewCredential,
): Promise<NewPasskey | undefined> {
  const parsed = parseRegistration(json)
  if (parsed === undefined) return undefined
  const { answer, clientData } = parsed
  const secret = Buffer.from(clientData.challenge, 'base64url').toString()
  const challenge = await findValue<string>(services, CHALLENGE, instance, owner, secret)
  if (challenge === undefined) return undefined
  if (!equalSecrets(challenge.value, digest(confirmation))) return undefined
  if (!(await attestsNothing(answer))) return undefined
  const { verifyRegistrationResponse } = await loadLibrary()
  const verification = await verifyRegistrationResponse({
    response: answer,
    expectedChallenge: clientData.challenge,
    expectedOrigin: instance.origin,
    expectedRPID: relyingParty(instance),
    requireUserVerification: !isSecondStepOnly,
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch(() => undefined)
  if (verification?.verified !== true) return undefined
  const { credential, aaguid, userVerified, ...info } = verification.registrationInfo
  return {
    passkey: {
      id: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: transportsOf(answer),
      label,
      createdAt: services.clock.now(),
      discoverable: isDiscoverable(answer, !isSecondStepOnly),
      verified: userVerified,
      deviceType: info.credentialDeviceType,
      backedUp: info.credentialBackedUp,
      firstWay: !isSecondStepOnly,
      stamp: owner.securityStamp,
      aaguid,
      rpId: relyingParty(instance),
    },
    spent: { op: 'delete', key: challenge.key, ifRevision: challenge.revision },
  }
}

function descriptorsOf(passkeys: readonly Passkey[]): { id: string; transports: string[] }[] {
  return passkeys.map(({ id, transports }) => ({ id, transports: [...transports] }))
}

/** Arguments of `PublicKeyCredential.signalAllAcceptedCredentials`, for the browser of the owner. */
export function acceptedPasskeys(
  instance: Instance,
  { factors }: Owner,
): Readonly<Record<string, unknown>> {
  return {
    rpId: relyingParty(instance),
    userId: userId(instance).toString('base64url'),
    allAcceptedCredentialIds: (factors?.passkeys ?? []).map(({ id }) => id),
  }
}

/** Whose passkeys are made here: of an instance all are the same user's. */
export function passkeyUser(instance: Instance): {
  readonly id: string
  readonly name: string
  readonly displayName: string
} {
  const { domain, publicName = '' } = instance
  return { id: userId(instance).toString('base64url'), name: domain, displayName: publicName }
}

export function relyingParty({ origin }: Instance): string {
  return new URL(origin).hostname
}

/** The same for every passkey of an instance, so that an authenticator keeps one; tells nothing about it. */
export function userId({ id }: Instance): Buffer {
  return createHash('sha256').update(`svc-passkey-user:${id}`).digest()
}

/** Bound to the challenge of the second step: what is good for it is good for nothing else, and as long. */
function assertionChallenge(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(`svc-passkey:${token}`).digest())
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
