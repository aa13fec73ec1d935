import { createHash } from 'node:crypto'
import {
  anybody,
  bodySchema,
  defineRoute,
  type Instance,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { Context } from 'koa'
import { AuthUiError } from '../errors.ts'
import type { StoredHash } from '../owner/stored-hash.ts'
import type { AuthUiServices } from '../services.ts'
import { answerJson } from '../web/answer.ts'
import { readCookies, writeCookie } from '../web/cookies.ts'
import { type MacPurpose, openMac, sealMac } from '../web/mac.ts'
import { isPermId } from './shares.ts'

/** SPEC: decision D45 - `seed.md` names both. */
const PATHS = ['/auth/share-by-link/password', '/auth/clients/share-by-link/password'] as const
const MAX_PASSWORD_BYTES = 1024

/** An id that is not there is unknown, a password that is not there is wrong. */
const SHARE_PASSWORD_SCHEMA = bodySchema({
  type: 'object',
  properties: { perm_id: { type: 'string' }, password: { type: 'string' } },
})

/** The password of a link, at both its paths. @see oauth.md 9 */
export const sharePasswordRoutes: readonly Route<AuthUiServices>[] = PATHS.map((path) =>
  defineRoute({
    method: 'POST',
    path,
    handler: submitSharePassword,
    auth: anybody,
    body: { types: ['form'], schema: SHARE_PASSWORD_SCHEMA },
    statuses: [200, 400, 403, 404, 413, 415, 429],
    family: 'json',
    cors: 'app-origins',
    limit: [
      { bucket: 'share-password-ip', inRule: 'wrong passwords, counted before they are checked' },
      { bucket: 'share-password', inRule: 'wrong passwords of a link that is there' },
    ],
    activity: { none: 'A visitor opens a shared link; nothing of the space changes.' },
    summary: 'Lets a browser that knows the password of a link use it.',
    source: 'oauth.md 9, decision D45',
  }),
)

/** Counts before it compares, so that parallel guesses cannot pass together; what is unknown takes the same time. */
async function submitSharePassword(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance, form } = ctx.state
  const permId = form.text('perm_id')
  if (!isPermId(permId)) throw new AuthUiError('not_found')
  const share = await services.options.shares.find(instance, permId)
  if (share !== undefined && share.password === undefined) {
    answerJson(ctx, { password: 'none' })
    return
  }
  const isKnown = share !== undefined
  const release = await reserve(services, ctx, isKnown ? permId : undefined)
  const { isRight } = await verify(services, share?.password, form.text('password'), release)
  if (share?.password === undefined) throw new AuthUiError('not_found')
  if (!isRight) throw new AuthUiError('invalid_share_password')
  await release()
  await setShareCookie(services, ctx, permId, share.password)
  answerJson(ctx, { password: 'ok' })
}

/** @param permId - undefined: there is no such link @returns what takes it back */
async function reserve(
  { limits, oauth }: AuthUiServices,
  ctx: RouteContext,
  permId: string | undefined,
): Promise<() => Promise<void>> {
  const { instance } = ctx.state
  const address = oauth.clientAddress(ctx)
  await limits.hit(instance, 'share-password-ip', address)
  const releaseAddress = (): Promise<void> => limits.release(instance, 'share-password-ip', address)
  try {
    if (permId !== undefined) await limits.hit(instance, 'share-password', permId)
  } catch (error) {
    await releaseAddress()
    throw error
  }
  return async () => {
    await releaseAddress()
    if (permId !== undefined) await limits.release(instance, 'share-password', permId)
  }
}

async function verify(
  { hasher }: AuthUiServices,
  stored: StoredHash | undefined,
  password: string,
  release: () => Promise<void>,
): Promise<{ readonly isRight: boolean }> {
  const isTooLong = Buffer.byteLength(password) > MAX_PASSWORD_BYTES
  try {
    return await hasher.verify(stored, isTooLong ? '' : password)
  } catch (error) {
    // Nothing was checked: nothing is counted.
    await release()
    throw error
  }
}

/** Whether the browser of a request may use a link: for resources that are shared by it. */
export type HasShareCookie = (ctx: Context, permId: string) => Promise<boolean>

/** True, too, for a link without a password; false for an unknown one. @see oauth.md 9 */
export async function hasShareCookie(
  { keyring, options }: Pick<AuthUiServices, 'keyring' | 'options'>,
  ctx: Context,
  permId: string,
): Promise<boolean> {
  const instance = instanceOf(ctx)
  const share = isPermId(permId) ? await options.shares.find(instance, permId) : undefined
  if (share === undefined) return false
  if (share.password === undefined) return true
  const digest = digestOf(share.password)
  const { messageKey } = await keyring.current(instance, 'session')
  return readCookies(ctx, nameOf(permId)).some(
    (value) => openMac(messageKey, purposeOf(permId), value)?.value.equals(digest) === true,
  )
}

/**
 * Until the browser closes, and as long as the link has this password: a MAC over the link and a digest of its
 * password's hash, so that the cookie opens nothing once the password is another.
 */
async function setShareCookie(
  { keyring, clock }: AuthUiServices,
  ctx: RouteContext,
  permId: string,
  password: StoredHash,
): Promise<void> {
  const { instance } = ctx.state
  const { messageKey } = await keyring.current(instance, 'session')
  const timeS = Math.floor(clock.now() / 1000)
  const value = sealMac(messageKey, purposeOf(permId), digestOf(password), timeS)
  const domain = domainOf(instance)
  writeCookie(ctx, nameOf(permId), value, {
    path: '/',
    secure: instance.isHttps,
    ...(domain === undefined ? {} : { domain }),
  })
}

function nameOf(permId: string): string {
  return `pass${permId}`
}

function purposeOf(permId: string): MacPurpose {
  return { name: 'share-by-link', additional: `:${permId}:` }
}

function digestOf({ algorithm, value }: StoredHash): Buffer {
  return createHash('sha256').update(`${algorithm}:${value}`).digest()
}

/** Nested app hosts are reached; flat ones are neighbours, of whom some are strangers. */
function domainOf({ subdomains, domain }: Instance): string | undefined {
  return subdomains === 'nested' ? domain.replace(/:\d+$/, '') : undefined
}

function instanceOf(ctx: Context): Instance {
  // Everything here runs behind `resolveInstance`.
  return ctx.state['instance'] as Instance
}
