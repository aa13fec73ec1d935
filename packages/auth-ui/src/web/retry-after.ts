/** Seconds of a `Retry-After` header, when the error carries one. */
export function retryAfterS(error: {
  readonly headers?: Readonly<Record<string, string>>
}): number | undefined {
  const value = error.headers?.['Retry-After']
  return value === undefined ? undefined : Number(value)
}
