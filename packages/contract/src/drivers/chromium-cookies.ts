import type { Cookie as ChromiumCookie } from 'playwright-core'
import { Cookie, type CookieJar } from 'tough-cookie'

type NewCookie = Omit<ChromiumCookie, 'partitionKey'>

const SAME_SITE = { strict: 'Strict', lax: 'Lax', none: 'None' } as const

/** The cookies of a jar, as Chromium takes them. */
export async function cookiesOf(jar: CookieJar): Promise<NewCookie[]> {
  const { cookies } = await jar.serialize()
  return cookies.flatMap((one) => {
    const cookie = Cookie.fromJSON(one)
    if (cookie === undefined || cookie === null) return []
    const { key, value, domain, path, secure, httpOnly, hostOnly, sameSite } = cookie
    const expires = cookie.expiryTime()
    return {
      name: key,
      value,
      domain: hostOnly === true ? (domain ?? '') : `.${domain ?? ''}`,
      path: path ?? '/',
      secure,
      httpOnly,
      sameSite: SAME_SITE[(sameSite ?? 'lax') as keyof typeof SAME_SITE] ?? 'Lax',
      expires: expires === undefined || !Number.isFinite(expires) ? -1 : Math.floor(expires / 1000),
    }
  })
}

/** Puts the cookies of Chromium into a jar. @param protocol - of the server, such as `https:` */
export async function keepCookies(
  jar: CookieJar,
  cookies: readonly ChromiumCookie[],
  protocol: string,
): Promise<void> {
  for (const { name, value, domain, path, secure, httpOnly, sameSite, expires } of cookies) {
    const host = domain.replace(/^\./, '')
    const cookie = new Cookie({
      key: name,
      value,
      path,
      secure,
      httpOnly,
      sameSite: sameSite.toLowerCase(),
      expires: expires === -1 ? 'Infinity' : new Date(expires * 1000),
      ...(domain !== host && { domain: host }),
    })
    await jar.setCookie(cookie, `${protocol}//${host}${path}`, { ignoreError: true })
  }
}
