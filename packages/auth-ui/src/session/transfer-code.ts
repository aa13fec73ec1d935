import type { AuthUiServices } from '../services.ts'
import { type Instance, randomAlphanumeric } from '@svc/platform'
import { type Key, secretKey } from '@svc/store'
import { parseSessionId, type SessionId } from './session.ts'
import { AuthUiError } from '../errors.ts'

const CODE = /^[A-Za-z0-9]{32}$/

/**
 * Makes a code that hands a session to one app host, where it has a cookie of its own (flat subdomains). It is kept
 * as a hash.
 * @throws AuthUiError `cookies_blocked` when the app host asks again and again
 * @see login.md 9.2
 */
export async function createTransferCode(
  services: AuthUiServices,
  instance: Instance,
  slug: string,
  session: SessionId,
): Promise<string> {
  try {
    await services.limits.hit(instance, 'transfer-code', `${session}:${slug}`)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'rate_limited') throw error
    throw new AuthUiError('cookies_blocked', { cause: error })
  }
  const code = randomAlphanumeric(32)
  await services.store.write([
    {
      op: 'put',
      key: keyOf(instance, slug, code),
      value: { session },
      expiresAt: services.clock.now() + services.lifetimes.transferCode,
    },
  ])
  return code
}

/** The session of a code for this app, once. A code presented to another app stays good for its own. */
export async function redeemTransferCode(
  services: AuthUiServices,
  instance: Instance,
  slug: string,
  code: string,
): Promise<SessionId | undefined> {
  if (!CODE.test(code)) return undefined
  const record = await services.store.take<{ session: string }>(keyOf(instance, slug, code))
  return record === undefined ? undefined : parseSessionId(record.value.session)
}

function keyOf(instance: Instance, slug: string, code: string): Key {
  // The app is part of what is hashed: on the wrong host the code is simply unknown.
  return secretKey(instance.id, 'transfer-code', `${slug}:${code}`)
}
