import type { Answer } from '../model/exchange.ts'

/** The body as an object, if it is one. */
export function objectOf({ body }: Answer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>) // an object that was parsed
      : undefined
  } catch {
    return undefined
  }
}
