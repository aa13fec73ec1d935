const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost'])

/**
 * Whether the pages of an origin may call: not those without one of their own, nor those that anybody on the way could
 * have changed. What they get is worth nothing without a token.
 * @param allowed - the operator's list; undefined: any
 * @see assistants.md 1.8
 */
export function isOriginFit(origin: string, allowed: ReadonlySet<string> | undefined): boolean {
  if (origin === '') return true
  if (!URL.canParse(origin)) return false
  const { protocol, hostname, origin: parsed } = new URL(origin)
  // `null` for schemes that browsers give no origin, such as those of extensions.
  if (parsed !== 'null' && parsed !== origin) return false
  if (protocol === 'http:' && !LOOPBACK.has(hostname) && !hostname.endsWith('.localhost')) {
    return false
  }
  return allowed === undefined || allowed.has(origin)
}
