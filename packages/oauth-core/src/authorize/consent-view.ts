import { wireIdOf } from '../clients/client.ts'
import type { ConsentDuration, ConsentSigns, ConsentView } from '../ports.ts'
import { isProgramUri } from '../registration/redirect-uri.ts'
import { identifierOf } from '../resources/resources.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { type ChoiceRules, durationsOf, permissionChoice } from './consent-choice.ts'
import { durationOfSpan } from './consent-durations.ts'
import { placesAllowed } from './consent-seal.ts'
import type { LiveAccess } from './live-access.ts'
import { formActionSource, isOutOfBand, refusedLocation } from './redirect.ts'

export interface ConsentViewOptions extends ChoiceRules {
  readonly live: LiveAccess
  /** Value of the field `consent`. */
  readonly sealed: string
  /** An answer that cannot be taken: the page is shown again. */
  readonly again?: { readonly problem: 'nothing_chosen'; readonly duration: ConsentDuration }
}

/** What the consent page shows, and what its form sends back. @see oauth.md 5.2 */
export function consentView(
  request: AuthorizeRequest,
  { choose, maxDuration, live, sealed, again }: ConsentViewOptions,
): ConsentView {
  const { client, app, redirectUri, state, scope, permissions, codeChallenge, resource } = request
  const source = formActionSource(redirectUri)
  const [newest] = live.grants
  return {
    client,
    ...(app === undefined ? {} : { linkedApp: app }),
    permissions,
    permissionChoice: permissionChoice(request, choose),
    allowedBefore: placesAllowed(request, live),
    durations: durationsOf(request, { choose, maxDuration }),
    ...durationOf(live, again?.duration),
    ...(newest === undefined ? {} : { allowedAt: newest.createdAt }),
    ...(again === undefined ? {} : { problem: again.problem }),
    signs: signsOf(request),
    redirectUri,
    cancelUrl: refusedLocation(request),
    fields: {
      client_id: wireIdOf(client),
      ...(state === '' ? {} : { state }),
      redirect_uri: redirectUri,
      scope,
      response_type: 'code',
      ...(codeChallenge === undefined
        ? {}
        : { code_challenge: codeChallenge, code_challenge_method: 'S256' }),
      ...(resource === undefined ? {} : { resource: identifierOf(resource, request.instance) }),
      consent: sealed,
    },
    ...(source === undefined ? {} : { formActionSource: source }),
  }
}

/** What the owner chose just now, or the last time; else the page proposes one. */
function durationOf(
  { grants: [last] }: LiveAccess,
  chosen: ConsentDuration | undefined,
): Pick<ConsentView, 'duration'> {
  if (chosen !== undefined) return { duration: chosen }
  if (last === undefined) return {}
  return { duration: durationOfSpan(last.endsAt && last.endsAt - last.createdAt) }
}

function signsOf({ client, app, redirectUri }: AuthorizeRequest): ConsentSigns {
  const leavesTo = whereItLeaves(redirectUri, client.metadata.client_uri)
  return {
    isSelfRegistered: app === undefined && !client.flagship,
    isCertified: client.flagship,
    isNew: client.pending,
    ...(leavesTo === undefined ? {} : { leavesTo }),
  }
}

/** A program of the device, or a site other than the one that the client says it is of. */
function whereItLeaves(
  redirectUri: string,
  clientUri: string | undefined,
): ConsentSigns['leavesTo'] | undefined {
  if (isOutOfBand(redirectUri)) return undefined
  if (isProgramUri(redirectUri)) return 'program'
  return new URL(redirectUri).host === URL.parse(clientUri ?? '')?.host ? undefined : 'site'
}
