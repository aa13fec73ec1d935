import { DAY_MS, HOUR_MS, type Parameters } from '@svc/platform'
import { DURATIONS_MS } from '../lifetimes.ts'
import type { ConsentDuration, PermissionChoice } from '../ports.ts'
import type { Permission } from '../scopes/permission.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { keepReading, keepTickedRights, keepTickedRules, type Ticked } from './consent-ticks.ts'
import { isOutOfBand } from './redirect.ts'
import { authorizeError } from './page-texts.ts'

/** In the order they are shown. */
export const CONSENT_DURATIONS: readonly ConsentDuration[] = ['until_revoked', '1h', '1d', '30d']

/** Of a resource: there is no access without an end. @see assistants.md 5.4 */
const RESOURCE_DURATIONS: readonly ConsentDuration[] = ['1h', '1d', '30d']
export const RESOURCE_DURATION: ConsentDuration = '1d'

/** What the owner decides beside yes and no. @see decision D42 */
export interface ConsentAnswer {
  /** The request, its scope only what was ticked. Its permissions may be none: then nothing was chosen. */
  readonly request: AuthorizeRequest
  /** What was asked and not ticked. */
  readonly left: readonly Permission[]
  readonly duration: ConsentDuration
  /** Milliseconds from now on. */
  readonly lifeMs?: number
}

/** @param choose whether the host lets owners choose at all */
export function permissionChoice(request: AuthorizeRequest, choose: boolean): PermissionChoice {
  if (request.resource !== undefined) return 'open'
  if (!choose) return 'off'
  if (request.app !== undefined) return 'linked'
  return request.scope === '*' ? 'everything' : 'open'
}

/** Out-of-band clients ask for a code by hand each time: a time of their own would break them. */
export function durationsOf(
  request: AuthorizeRequest,
  choose: boolean,
): readonly ConsentDuration[] {
  if (request.resource !== undefined) return RESOURCE_DURATIONS
  return choose && !isOutOfBand(request.redirectUri) ? CONSENT_DURATIONS : []
}

/** What an answer is read against. */
export interface ChoiceOptions {
  /** Whether the host lets owners choose. */
  readonly choose: boolean
  /** Prefix of doctypes. */
  readonly namespace: string
  /** Whether the client has a rule already, whole. */
  readonly isAllowed: (rule: Permission) => boolean
}

/**
 * Reads what the form says beside the request: `choice=2` with `group-<key>-<right>` and `permission-<n>-<right>` for
 * each right that stays, or `choice=1` with `permission-<n>` for each rule that stays, by its place in `scope`;
 * `duration`. Neither: everything, until it is revoked; of a resource: what only reads, for a day.
 * @throws OAuthError 400 for a choice that was not offered, or a duration that does not exist
 */
export function readConsentAnswer(
  form: Parameters,
  request: AuthorizeRequest,
  options: ChoiceOptions,
): ConsentAnswer {
  const isResource = request.resource !== undefined
  const duration = form.get('duration') ?? (isResource ? RESOURCE_DURATION : 'until_revoked')
  if (!isDuration(duration) || (isResource && !RESOURCE_DURATIONS.includes(duration)))
    throw authorizeError('invalidParameter')
  if (duration !== 'until_revoked' && !durationsOf(request, options.choose).includes(duration))
    throw authorizeError('consentMismatch')
  const lifeMs = DURATIONS_MS[duration]
  const life = lifeMs === undefined ? {} : { lifeMs }
  return { ...readTicks(form, request, options), duration, ...life }
}

function readTicks(form: Parameters, request: AuthorizeRequest, options: ChoiceOptions): Ticked {
  const choice = form.text('choice')
  if (choice === '')
    return request.resource === undefined ? { request, left: [] } : keepReading(request)
  if (choice !== '1' && choice !== '2') throw authorizeError('invalidParameter')
  if (permissionChoice(request, options.choose) !== 'open') throw authorizeError('consentMismatch')
  return choice === '1' ? keepTickedRules(form, request) : keepTickedRights(form, request, options)
}

/** The time that a span comes nearest to, from above. */
export function durationOfSpan(spanMs: number | undefined): ConsentDuration {
  if (spanMs === undefined) return 'until_revoked'
  if (spanMs <= HOUR_MS) return '1h'
  return spanMs <= DAY_MS ? '1d' : '30d'
}

function isDuration(text: string): text is ConsentDuration {
  return Object.hasOwn(DURATIONS_MS, text)
}
