import type { ChallengeRequest } from '../factors/challenge.ts'

/**
 * Where a second step that cannot be finished is begun again, with what was asked for: a path of the instance.
 * @param request - undefined: nothing is known of it
 */
export function restartHref(request: ChallengeRequest | undefined): string {
  const query = new URLSearchParams()
  if (request?.purpose === 'move') {
    query.set('state', request.state ?? '')
    query.set('client_id', request.clientId ?? '')
    query.set('redirect_uri', request.redirect ?? '')
    return `/auth/authorize/move?${query.toString()}`
  }
  const isConfirm = request?.purpose === 'confirm' && request.state !== undefined
  if (isConfirm) query.set('state', request.state ?? '')
  if (request?.redirect !== undefined) query.set('redirect', request.redirect)
  const path = isConfirm ? '/auth/confirm' : '/auth/login'
  return query.size === 0 ? path : `${path}?${query.toString()}`
}
