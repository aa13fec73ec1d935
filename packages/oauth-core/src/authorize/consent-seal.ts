import { createHash } from 'node:crypto'
import { HOUR_MS, type Sealer } from '@svc/platform'
import type { OwnerSession } from '../ports.ts'
import { isSubset } from '../scopes/evaluate.ts'
import type { Permission } from '../scopes/permission.ts'
import { parseScope } from '../scopes/scope.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { authorizeError } from './page-texts.ts'

/** How long a consent page can be answered. @see decision D42 */
const CONSENT_MS = HOUR_MS

/** What the page showed: the scope, what of it it called allowed already, what the answer may not change, and when. */
interface Shown {
  readonly scope: string
  /** Places in the scope. */
  readonly allowed: readonly number[]
  /** Digest of the rest. */
  readonly rest: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

interface SealServices {
  readonly sealer: Sealer
  readonly clock: { now(): number }
}

/**
 * Seals what a consent page shows into its form, so that the answer can be held against it (D42).
 * @param allowed which rules the page calls allowed already, by their places in the scope
 * @returns the value of the form's field `consent`
 */
export function sealConsent(
  { sealer, clock }: SealServices,
  request: AuthorizeRequest,
  session: OwnerSession,
  allowed: readonly number[] = [],
): string {
  const { scope } = request
  const shown: Shown = { scope, allowed, rest: digest(request), at: clock.now() }
  return sealer.seal(JSON.stringify(shown), contextOf(request, session))
}

/**
 * @throws OAuthError 400 unless the field was sealed for this session within the hour and the answer agrees with it:
 * client, redirect, state, challenge and resource the same, the scope the same or less, and what the page called allowed already
 * still allowed: an access that was cut meanwhile does not come back unseen
 */
export function checkConsent(
  { sealer, clock }: SealServices,
  sealed: string,
  request: AuthorizeRequest,
  session: OwnerSession,
  isAllowed: (rule: Permission) => boolean = () => true,
): void {
  const shown = open(sealer, sealed, contextOf(request, session))
  const ageMs = clock.now() - shown.at
  if (ageMs < 0 || ageMs > CONSENT_MS) throw authorizeError('consentMismatch')
  if (shown.rest !== digest(request) || !isWithin(request, shown.scope))
    throw authorizeError('consentMismatch')
  const rules = parseScope(shown.scope) ?? []
  if (!rules.every((rule, place) => !shown.allowed.includes(place) || isAllowed(rule)))
    throw authorizeError('consentMismatch')
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
  // SPEC: assistants.md 2.8 - what is kept of a document is what was shown.
  const document = client.document === undefined ? [] : [client.document.digest]
  const of = [...(resource === undefined ? [] : [resource.path]), ...document]
  const fields = JSON.stringify([client.id, redirectUri, state, codeChallenge, ...of])
  return createHash('sha256').update(fields).digest('base64url')
}

function contextOf({ instance }: AuthorizeRequest, session: OwnerSession): string {
  return `consent:${instance.id}:${session.id}`
}
