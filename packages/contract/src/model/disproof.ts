import type { Capability } from './check.ts'
import type { Recording } from './exchange.ts'

/** Where a server shows that it has something: it has it not when nothing is found there. */
const PLACES: Readonly<Partial<Record<Capability, readonly string[]>>> = {
  notifications: ['/notifications'],
  realtime: ['/realtime/', '/realtime'],
  confirmation: ['/auth/confirm'],
  sharing: ['/auth/authorize/sharing', '/auth/authorize/move'],
  revocation: ['/auth/revoke'],
}
const NOT_FOUND = 404

/** Whether every answer from the place of a capability says that nothing is there. */
export function isDisproved(capability: Capability, { exchanges }: Recording): boolean {
  const places = PLACES[capability]
  if (places === undefined) return false
  let hasAsked = false
  for (const { by, request, answer } of exchanges) {
    if (by !== undefined || answer === undefined) continue
    const [address = ''] = request.url.split('?', 1)
    if (!places.some((place) => address.endsWith(place))) continue
    if (answer.status !== NOT_FOUND) return false
    hasAsked = true
  }
  return hasAsked
}
