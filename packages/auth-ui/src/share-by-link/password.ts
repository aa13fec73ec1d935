import type { RouteContext, RouteRow } from '@svc/platform'
import { AuthUiError } from '../errors.ts'
import { answerJson } from '../web/answer.ts'
import type { PasswordHasher } from '../passphrase/password-hash.ts'
import type { RateLimits } from '../rate-limits.ts'
import type { ShareCookies } from './share-cookies.ts'
import { isPermId, type Shares } from './shares.ts'

/** What {@link sharePasswordRows} needs. */
export interface SharePasswordOptions {
  readonly shares: Shares
  readonly shareCookies: ShareCookies
  readonly hasher: PasswordHasher
  readonly limits: RateLimits
  readonly clientAddress: (ctx: RouteContext) => string
}

/** SPEC: decision D45 - `seed.md` names both. */
const PATHS = ['/auth/share-by-link/password', '/auth/clients/share-by-link/password'] as const
const MAX_PASSWORD_BYTES = 1024

const SHARE_PASSWORD_SCHEMA: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { perm_id: { type: 'string' }, password: { type: 'string' } },
  required: ['perm_id', 'password'],
}

/** The password of a link, at both its paths. @see oauth.md 9 */
export function sharePasswordRows(options: SharePasswordOptions): readonly RouteRow[] {
  const handler = createSharePassword(options)
  return PATHS.map((path) => ({
    method: 'POST',
    path,
    handler,
    auth: ['none'],
    body: { types: ['form'], schema: SHARE_PASSWORD_SCHEMA },
    statuses: [200, 400, 403, 404, 413, 415, 429],
    family: 'json',
    cors: 'app-origins',
    limit: 'share-password',
    summary: 'Lets a browser that knows the password of a link use it.',
    source: 'oauth.md 9, decision D45',
  }))
}

/** Counts before it compares, so that parallel guesses cannot pass together; what is unknown takes the same time. */
function createSharePassword(options: SharePasswordOptions): (ctx: RouteContext) => Promise<void> {
  const { shares, shareCookies, hasher, limits, clientAddress } = options

  return async function checkSharePassword(ctx) {
    const { instance, form } = ctx.state
    const permId = form.text('perm_id')
    if (!isPermId(permId)) throw new AuthUiError('not_found')
    const share = await shares.find(instance, permId)
    if (share !== undefined && share.password === undefined) {
      answerJson(ctx, { password: 'none' })
      return
    }
    const address = clientAddress(ctx)
    await limits.hit(instance, 'share-password-ip', address)
    const releaseAddress = (): Promise<void> =>
      limits.release(instance, 'share-password-ip', address)
    try {
      if (share !== undefined) await limits.hit(instance, 'share-password', permId)
    } catch (error) {
      await releaseAddress()
      throw error
    }
    const release = async (): Promise<void> => {
      await releaseAddress()
      if (share !== undefined) await limits.release(instance, 'share-password', permId)
    }
    const { isRight } = await verify(share?.password, form.text('password'), release)
    if (share?.password === undefined) throw new AuthUiError('not_found')
    if (!isRight) throw new AuthUiError('invalid_share_password')
    await release()
    await shareCookies.set(ctx, permId, share.password)
    answerJson(ctx, { password: 'ok' })
  }

  async function verify(
    stored: Parameters<PasswordHasher['verify']>[0],
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
}
