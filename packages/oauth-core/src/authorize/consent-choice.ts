import { DAY_MS, HOUR_MS, type Parameters } from '@svc/platform'
import type { ConsentDuration, PermissionChoice } from '../ports.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { isOutOfBand } from './redirect.ts'
import { authorizeError } from './page-texts.ts'

/** Undefined: until it is revoked. */
const DURATIONS_MS: Readonly<Record<ConsentDuration, number | undefined>> = {
  until_revoked: undefined,
  '1h': HOUR_MS,
  '1d': DAY_MS,
  '30d': 30 * DAY_MS,
}

/** In the order they are shown. */
export const CONSENT_DURATIONS: readonly ConsentDuration[] = ['until_revoked', '1h', '1d', '30d']

/** What the owner decides beside yes and no. @see decision D42 */
export interface ConsentAnswer {
  /** The request, its scope only what was ticked. Its permissions may be none: then nothing was chosen. */
  readonly request: AuthorizeRequest
  readonly duration: ConsentDuration
  /** Milliseconds from now on. */
  readonly lifeMs?: number
}

/** @param choose whether the host lets owners choose at all */
export function permissionChoice(request: AuthorizeRequest, choose: boolean): PermissionChoice {
  if (!choose) return 'off'
  if (request.app !== undefined) return 'linked'
  return request.scope === '*' ? 'everything' : 'open'
}

/** Out-of-band clients ask for a code by hand each time: a time of their own would break them. */
export function durationsOf(
  request: AuthorizeRequest,
  choose: boolean,
): readonly ConsentDuration[] {
  return choose && !isOutOfBand(request.redirectUri) ? CONSENT_DURATIONS : []
}

/**
 * Reads what the form says beside the request: `choice=1` with `permission-<n>` for each rule that stays, by its place
 * in `scope`; `duration`. Neither: everything, until it is revoked.
 * @throws OAuthError 400 for a choice that was not offered, or a duration that does not exist
 */
export function readConsentAnswer(
  form: Parameters,
  request: AuthorizeRequest,
  choose: boolean,
): ConsentAnswer {
  const duration = form.get('duration') ?? 'until_revoked'
  if (!isDuration(duration)) throw authorizeError('invalidParameter')
  if (duration !== 'until_revoked' && !durationsOf(request, choose).includes(duration))
    throw authorizeError('consentMismatch')
  const lifeMs = DURATIONS_MS[duration]
  const life = lifeMs === undefined ? {} : { lifeMs }
  const choice = form.text('choice')
  if (choice === '') return { request, duration, ...life }
  if (choice !== '1') throw authorizeError('invalidParameter')
  if (permissionChoice(request, choose) !== 'open') throw authorizeError('consentMismatch')
  return { request: withTicked(form, request), duration, ...life }
}

/** SPEC: D42 - exactly the rules that were ticked, as they were asked for and in their order. */
function withTicked(form: Parameters, request: AuthorizeRequest): AuthorizeRequest {
  const isTicked = (_: unknown, place: number): boolean => form.has(`permission-${place}`)
  return {
    ...request,
    scope: request.scope.split(' ').filter(isTicked).join(' '),
    permissions: request.permissions.filter(isTicked),
  }
}

function isDuration(text: string): text is ConsentDuration {
  return Object.hasOwn(DURATIONS_MS, text)
}
