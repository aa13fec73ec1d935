import { randomBytes } from 'node:crypto'
import type { Clock } from '@svc/store'
import type { PlainAnswer, Provider, ProviderPages, ProviderRequest } from '@svc/testkit/provider'
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts'
import { PHOTOS } from './photos.ts'
import { consentPage, grantsPage, problemPage } from './provider-pages.ts'

/** How long a person may think. Milliseconds. */
const ASK_MS = 600_000
/** Questions that wait for an answer; the oldest go first. */
const MAX_ASKED = 1000
const REVOKE = /^\/grants\/([0-9a-f]{1,32})\/revoke$/

interface Asked {
  readonly request: AuthorizationRequest
  readonly until: number
}

/**
 * What the demo provider has beside the endpoints of a provider: a person is asked, has photos, and sees who may see
 * them.
 */
export function demoEndpoints(clientId: string, clock: Clock): ProviderPages {
  const asked = new Map<string, Asked>()

  function ask(query: URLSearchParams): PlainAnswer {
    const request = readAuthorizationRequest(query, clientId)
    if (typeof request === 'string') return problemPage(request)
    const [oldest] = asked.keys()
    if (asked.size >= MAX_ASKED && oldest !== undefined) asked.delete(oldest)
    const id = randomBytes(32).toString('base64url')
    asked.set(id, { request, until: clock.now() + ASK_MS })
    return consentPage(id, request)
  }

  function decide(
    { parameters }: ProviderRequest,
    { grants }: Pick<Provider, 'grants'>,
  ): PlainAnswer {
    const { request: id = '', answer } = parameters
    const found = asked.get(id)
    asked.delete(id)
    if (found === undefined || found.until <= clock.now()) {
      return problemPage('it was answered already, or is too old')
    }
    const { redirectUri, scope, state, codeChallenge: challenge } = found.request
    const target = new URL(redirectUri)
    if (answer === 'allow') {
      const code = grants.allow({ clientId, redirectUri, scope, challenge })
      target.searchParams.set('code', code)
    } else target.searchParams.set('error', 'access_denied')
    target.searchParams.set('state', state)
    return { status: 302, headers: { location: target.href } }
  }

  return (request, provider) => {
    const { method, path, query } = request
    if (path === '/authorize') return method === 'GET' ? ask(query) : decide(request, provider)
    if (method === 'GET' && path === '/photos') return showPhotos(request, provider)
    if (method === 'GET' && path === '/grants') return grantsPage(provider.grants.live())
    const grantId = method === 'POST' ? REVOKE.exec(path)?.[1] : undefined
    return grantId === undefined ? undefined : revokeGrant(grantId, request, provider)
  }
}

function showPhotos(
  { headers }: ProviderRequest,
  { grants }: Pick<Provider, 'grants'>,
): PlainAnswer {
  const [, token = ''] = /^Bearer (\S{1,100})$/.exec(headers.authorization ?? '') ?? []
  if (grants.isLive(token)) return { body: { photos: PHOTOS } }
  return {
    status: 401,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    body: { error: 'invalid_token' },
  }
}

function revokeGrant(
  id: string,
  { headers }: ProviderRequest,
  { grants, origin }: Pick<Provider, 'grants' | 'origin'>,
): PlainAnswer {
  // A page of somebody else's must not end what the person allowed. It is reached by the machine's name, too.
  const own = [origin, origin.replace('127.0.0.1', 'localhost')]
  if (!own.includes(headers.origin ?? '')) return problemPage('it comes from another page')
  grants.revokeGrant(id)
  return { status: 302, headers: { location: '/grants' } }
}
