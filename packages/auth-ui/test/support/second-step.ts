import type { Instance } from '@svc/platform'
import type { BrowserClient, BrowserResponse, FormFields } from '@svc/testkit'
import { generateSync } from 'otplib'
import type { Factors } from '../../src/owner/factors.ts'
import { newRecoveryCodes } from '../../src/factors/recovery-codes.ts'
import { newAuthenticator } from '../../src/factors/totp.ts'
import { createOwnerStore } from '../../src/owner/owner-store.ts'
import type { Owner } from '../../src/owner/owner.ts'
import { LOGIN_VALUE, type UiServer } from './ui-server.ts'

export const JSON_ONLY = { accept: 'application/json' }

/** What an owner with every code-like factor has at hand. */
export interface Enrolled {
  /** Code of the authenticator app, now. */
  totp(): string
  readonly recoveryCodes: readonly string[]
}

/** Enrols factors directly in the owner's record; what is not named is off. */
export async function enroll(
  server: UiServer,
  instance: Instance,
  ...kinds: readonly ('mail' | 'totp' | 'recovery')[]
): Promise<Enrolled> {
  const { clock } = server
  const { factor, secret } = newAuthenticator({ oauth: server.oauth, clock }, instance)
  const { codes, recovery } = newRecoveryCodes(instance, clock.now())
  await setFactors(server, instance, {
    ...(kinds.includes('mail') ? { mail: { enabledAt: clock.now() } } : {}),
    ...(kinds.includes('totp') ? { totp: factor } : {}),
    ...(kinds.includes('recovery') ? { recovery } : {}),
  })
  return {
    totp: () => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) }),
    recoveryCodes: codes,
  }
}

export async function setFactors(
  server: UiServer,
  instance: Instance,
  factors: Factors,
): Promise<void> {
  await changeOwner(server, instance, (owner) => ({ ...owner, factors }))
}

export async function changeOwner(
  server: UiServer,
  instance: Instance,
  change: (owner: Owner) => Owner,
): Promise<void> {
  await createOwnerStore(server.store).update(instance.id, change)
}

export async function ownerOf(server: UiServer, instance: Instance): Promise<Owner> {
  const stored = await createOwnerStore(server.store).get(instance.id)
  if (stored === undefined) throw new Error('no owner')
  return stored.owner
}

/** Passes step 1 as a program does. @returns the two-factor token */
export async function passStep1(
  browser: BrowserClient,
  fields: Readonly<Record<string, string | undefined>> = {},
): Promise<string> {
  const form = { passphrase: LOGIN_VALUE, ...fields }
  const answer = await browser.post('/auth/login', form, { headers: JSON_ONLY })
  const { two_factor_token: token } = answer.json<{ two_factor_token?: string }>()
  if (token === undefined) throw new Error(`no second step: ${answer.status} ${answer.text}`)
  return token
}

/** The passcode of the latest mail. */
export function lastPasscode(server: UiServer): string {
  const mail = server.mails.findLast(({ template }) => template === 'two_factor')
  if (mail?.template !== 'two_factor') throw new Error('no passcode was mailed')
  return mail.variables.passcode
}

/** Six digits that are not these. */
export function otherThan(code: string): string {
  return code === '000000' ? '000001' : '000000'
}

/** `POST /auth/twofactor`. */
export function passStep2(
  browser: BrowserClient,
  token: string,
  passcode: string,
  fields: FormFields = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<BrowserResponse> {
  const form = { 'two-factor-token': token, 'two-factor-passcode': passcode, ...fields }
  return browser.post('/auth/twofactor', form, { headers })
}

/** Logs in, passes the second step by mail and is trusted from then on. @returns the trusted-device token */
export async function trustBrowser(server: UiServer, browser: BrowserClient): Promise<string> {
  const trust = { 'two-factor-generate-trusted-device-token': '1' }
  const token = await passStep1(browser)
  const answer = await passStep2(browser, token, lastPasscode(server), trust, JSON_ONLY)
  const { two_factor_trusted_device_token: device } = answer.json<Record<string, string>>()
  if (device === undefined) throw new Error(`not trusted: ${answer.status} ${answer.text}`)
  return device
}
