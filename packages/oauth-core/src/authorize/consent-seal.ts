import { createHash } from 'node:crypto'
import type { Sealer } from '@svc/platform'
import type { Client } from '../clients/client.ts'
import { CONSENT_MS } from '../lifetimes.ts'
import type { OwnerSession } from '../ports.ts'
import { isSubset } from '../scopes/evaluate.ts'
import { parseScope } from '../scopes/scope.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import type { LiveAccess } from './live-access.ts'
import { authorizeError } from './page-texts.ts'

/** What the page showed: the scope, what of it it called allowed already, what the answer may not change, and when. */
interface Shown {
  readonly scope: string
  /** Places in the scope. */
  readonly allowed: readonly number[]
  /** Of the last change of the client's access before it. */
  readonly mark?: string | undefined
  /** Digest of the rest. */
  readonly rest: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

interface SealServices {
  readonly sealer: Sealer
  readonly clock: { now(): number }
}

/** What a seal is made with: what the client has. */
type SealedAccess = Pick<LiveAccess, 'changed' | 'isAllowed'>

/**
 * Seals what a consent page shows into its form, so that the answer can be held against it (D42).
 * @returns the value of the form's field `consent`
 */
export function sealConsent(
  { sealer, clock }: SealServices,
  request: AuthorizeRequest,
  session: OwnerSession,
  live: SealedAccess,
): string {
  const { scope } = request
  const allowed = placesAllowed(request, live)
  const mark = live.changed?.value.mark
  const shown: Shown = { scope, allowed, mark, rest: digest(request), at: clock.now() }
  return sealer.seal(JSON.stringify(shown), contextOf(request, session))
}

/**
 * @throws OAuthError 400 unless the field was sealed for this session within the hour and the answer agrees with it:
 * client and what it says about itself, redirect, state, challenge and resource the same, the scope the same or less, and
 * what the client has not changed or ended meanwhile, but by another answer to this very page: what was taken away does not
 * come back unseen (D103)
 */
export function checkConsent(
  { sealer, clock }: SealServices,
  sealed: string,
  request: AuthorizeRequest,
  session: OwnerSession,
  { changed, isAllowed }: SealedAccess,
): void {
  const shown = open(sealer, sealed, contextOf(request, session))
  const ageMs = clock.now() - shown.at
  if (ageMs < 0 || ageMs >= CONSENT_MS) throw authorizeError('consentMismatch')
  if (shown.rest !== digest(request) || !isWithin(request, shown.scope))
    throw authorizeError('consentMismatch')
  const known = [undefined, shown.mark, markOf(sealed)]
  if (!known.includes(changed?.value.mark)) throw authorizeError('consentMismatch')
  const rules = parseScope(shown.scope) ?? []
  if (!rules.every((rule, place) => !shown.allowed.includes(place) || isAllowed(rule)))
    throw authorizeError('consentMismatch')
}

/** The mark of what an answer to a page changes: the page itself stays good, so that its button may be pressed twice. */
export function markOf(sealed: string): string {
  return createHash('sha256').update(sealed).digest('base64url')
}

/** The rules among those asked for that the client has already, by their place; of a linked client, none. */
export function placesAllowed(
  { app, permissions }: AuthorizeRequest,
  { isAllowed }: Pick<LiveAccess, 'isAllowed'>,
): readonly number[] {
  if (app !== undefined) return []
  return permissions.flatMap((rule, place) => (isAllowed(rule) ? [place] : []))
}

/** What a page shows of what a client says about itself. */
export function shownOf({ document, metadata }: Client): string {
  const { client_name: name, client_uri: uri, logo_uri: logo, policy_uri: policy } = metadata
  // SPEC: assistants.md 2.8 - what is kept of a document is what was shown.
  return JSON.stringify([name, uri, policy, logo, document?.digest])
}

function open(sealer: Sealer, sealed: string, context: string): Shown {
  try {
    // Only `sealConsent` makes what opens under this context.
    return JSON.parse(sealer.open(sealed, context).toString()) as Shown
  } catch {
    throw authorizeError('consentMismatch')
  }
}

function isWithin(request: AuthorizeRequest, shownScope: string): boolean {
  if (request.scope === shownScope) return true
  // What a linked client gets is not the form's to change.
  const shown = request.app === undefined ? parseScope(shownScope) : undefined
  return shown !== undefined && isSubset(request.permissions, shown)
}

function digest(request: AuthorizeRequest): string {
  const { client, redirectUri, state, codeChallenge = '', resource } = request
  const { id } = client
  const fields = JSON.stringify([
    [id, redirectUri, state, codeChallenge, resource?.path],
    shownOf(client),
  ])
  return createHash('sha256').update(fields).digest('base64url')
}

function contextOf({ instance }: AuthorizeRequest, session: OwnerSession): string {
  return `consent:${instance.id}:${session.id}`
}
