import type { Change } from '@svc/store'
import { createHash } from 'node:crypto'
import type { Instance, RouteContext } from '@svc/platform'
import {
  createValue,
  findValue,
  replaceValue,
  takeValue,
  type ValueKind,
} from '../owner/one-time-values.ts'
import type { SessionId } from '../session/session.ts'
import type { Owner } from '../owner/owner.ts'
import type { AuthUiServices } from '../services.ts'
import { checkPassphrase } from '../login/passphrase-check.ts'
import { AuthUiError } from '../errors.ts'
import { isWithinLimit } from '../rate-limits.ts'

/** What is known of a code that is good. A type, for the index signature that JSON needs. */
export type MagicCode = {
  /** SHA-256 of the secret of the browser that asked, hexadecimal; empty when nobody's browser did. */
  readonly browser: string
  /** Where the link was asked to lead, normalised; absent when nobody said. */
  readonly redirect?: string
  /** The session that another browser than the asking one opened. */
  readonly elsewhere?: SessionId
}

/** Who asked for a link, and what for. */
export interface AskedLink {
  /** Secret of the browser that asks. */
  readonly browser: string
  readonly redirect?: string
}

const TRIES = 'magic-code-passphrase'

/** Dies with the passphrase, and means nothing while magic links are off. */
const MAGIC_CODE: ValueKind = { kind: 'magic-code', form: 'alphanumeric', lifetime: 'magicCode' }

/**
 * The code of a mailed link.
 * @param also - more changes of the same write
 * @param asked - absent when no browser asks
 * @returns 32 letters and digits
 * @see login.md 2.3, 5.3
 */
export function createMagicCode(
  services: Pick<AuthUiServices, 'clock' | 'lifetimes' | 'store'>,
  instance: Instance,
  owner: Owner,
  also: readonly Change[],
  asked?: AskedLink,
): Promise<string> {
  const value = {
    browser: asked === undefined ? '' : hashOf(asked.browser),
    ...(asked?.redirect === undefined ? {} : { redirect: asked.redirect }),
  }
  return createValue(services, MAGIC_CODE, instance, owner, value, also)
}

/** Uses nothing up. */
export async function findMagicCode(
  services: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  owner: Owner,
  code: string,
): Promise<MagicCode | undefined> {
  if (owner.magicLink !== true) return undefined
  return (await findValue<MagicCode>(services, MAGIC_CODE, instance, owner, code))?.value
}

/** Uses the code up, and ends the session that it opened elsewhere: of N parallel callers exactly one gets `true`. */
export async function takeMagicCode(
  services: Pick<AuthUiServices, 'sessions' | 'store'>,
  instance: Instance,
  owner: Owner,
  code: string,
): Promise<boolean> {
  const taken = await takeValue<MagicCode>(services, MAGIC_CODE, instance, owner, code)
  if (taken?.elsewhere !== undefined) {
    await services.sessions.end(instance, taken.elsewhere, 'replaced')
  }
  return taken !== undefined
}

/**
 * The use of a code in another browser than the asking one, as changes of the write that stores its session: of N
 * parallel callers exactly one writes. The asking browser keeps its own use.
 * @throws AuthUiError `invalid_magic_code` 401 when there is no such use any more
 */
export async function useElsewhere(
  services: Pick<AuthUiServices, 'store'>,
  instance: Instance,
  owner: Owner,
  code: string,
): Promise<(sessionId: SessionId) => readonly Change[]> {
  const found = await findValue<MagicCode>(services, MAGIC_CODE, instance, owner, code)
  if (found === undefined || found.value.elsewhere !== undefined) {
    throw new AuthUiError('invalid_magic_code')
  }
  return (elsewhere) => [replaceValue(found, owner, { ...found.value, elsewhere })]
}

/** Whether a request comes from another browser than the one that asked for the link. @param secrets - its cookies */
export function isElsewhere(code: MagicCode, secrets: readonly string[]): boolean {
  return code.browser !== '' && !isOfBrowser(code, secrets)
}

/** Whether one of these secrets is that of the browser that asked for the code. */
export function isOfBrowser(code: MagicCode, secrets: readonly string[]): boolean {
  return code.browser !== '' && secrets.some((secret) => hashOf(secret) === code.browser)
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/**
 * The code of a link that somebody followed; uses nothing up. It counts before it looks, so that parallel guesses
 * cannot pass together, and keeps counted what was wrong.
 * @throws AuthUiError `invalid_magic_code` 401, `rate_limited`
 */
export async function requireMagicCode(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  code: string,
): Promise<MagicCode> {
  const { instance } = ctx.state
  const address = services.oauth.clientAddress(ctx)
  await services.limits.hit(instance, 'magic-link', address)
  const found = await findMagicCode(services, instance, owner, code)
  if (found === undefined) throw new AuthUiError('invalid_magic_code')
  await services.limits.release(instance, 'magic-link', address)
  return found
}

/**
 * The passphrase beside a good code; after five wrong ones the code is dead.
 * @throws AuthUiError `invalid_passphrase`, `invalid_magic_code`, `rate_limited`, `busy`
 */
export async function checkPassphraseOfLink(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  code: string,
  passphrase: string,
): Promise<void> {
  const { instance } = ctx.state
  if (!(await isWithinLimit(services.limits, instance, TRIES, code))) {
    await takeMagicCode(services, instance, owner, code)
    throw new AuthUiError('invalid_magic_code')
  }
  try {
    await checkPassphrase(services, ctx, owner, passphrase)
  } catch (error) {
    const isWrong = AuthUiError.is(error, 'invalid_passphrase')
    if (!isWrong) await services.limits.release(instance, TRIES, code)
    else if (await isUsedUp(services, ctx, code))
      await takeMagicCode(services, instance, owner, code)
    throw error
  }
  await services.limits.release(instance, TRIES, code)
}

/** Uses the code up. @throws AuthUiError `invalid_magic_code` 401 when somebody else did */
export async function useUpMagicCode(
  services: AuthUiServices,
  ctx: RouteContext,
  owner: Owner,
  code: string,
): Promise<void> {
  if (await takeMagicCode(services, ctx.state.instance, owner, code)) return
  throw new AuthUiError('invalid_magic_code')
}

/** Whether one more wrong passphrase would be too many. */
async function isUsedUp(
  services: AuthUiServices,
  ctx: RouteContext,
  code: string,
): Promise<boolean> {
  const { instance } = ctx.state
  const hasTriesLeft = await isWithinLimit(services.limits, instance, TRIES, code)
  await services.limits.release(instance, TRIES, code)
  return !hasTriesLeft
}
