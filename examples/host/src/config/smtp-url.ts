import type { SmtpOptions } from '@svc/notify'
import { ConfigError } from './config.ts'

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
const FORM = 'SVC_SMTP_URL: must read smtp[s]://[user:password@]host[:port][?tls=off|required]'

/**
 * Reads an SMTP address. `smtps` is TLS from the first byte, `smtp` is STARTTLS and nothing without it; to this very
 * machine, or with `?tls=off`, plain text.
 * @throws ConfigError that does not repeat the URL: it may hold a password
 */
export function parseSmtpUrl(text: string): SmtpOptions {
  const url = URL.parse(text)
  if (url === null || url.hostname === '' || !['smtp:', 'smtps:'].includes(url.protocol)) {
    throw new ConfigError([FORM])
  }
  const tls = url.searchParams.get('tls')
  if (tls !== null && tls !== 'off' && tls !== 'required') throw new ConfigError([FORM])
  const isSsl = url.protocol === 'smtps:'
  const isPlain = !isSsl && (tls === 'off' || (tls === null && LOOPBACK.has(url.hostname)))
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSsl ? 465 : 25) : Number(url.port),
    ...(isSsl && { useSsl: true }),
    ...(isPlain && { disableTls: true }),
    ...(url.username !== '' && { username: decode(url.username) }),
    ...(url.password !== '' && { password: decode(url.password) }),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError([FORM])
  }
}
