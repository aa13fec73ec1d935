const SECONDS = /^\d{1,9}$/

/**
 * `Retry-After` in seconds, from now; undefined when it is not there or not understood.
 * @param now - milliseconds since the epoch
 * @see RFC 9110 10.2.3
 */
export function retryAfterOf(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (SECONDS.test(text)) return Number(text)
  // Other forms of dates are read as local time.
  if (!text.endsWith('GMT')) return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : Math.max(0, Math.ceil((instant - now) / 1000))
}
