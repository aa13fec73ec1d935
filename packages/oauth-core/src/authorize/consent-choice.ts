import type { Parameters } from '@svc/platform'
import { DURATIONS_MS } from '../lifetimes.ts'
import type { AssistantDuration, ConsentDuration, PermissionChoice } from '../ports.ts'
import type { Permission } from '../scopes/permission.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { assistantDuration, assistantDurations, CONSENT_DURATIONS } from './consent-durations.ts'
import { keepReading, keepTickedRights, keepTickedRules, type Ticked } from './consent-ticks.ts'
import { authorizeError } from './page-texts.ts'
import { isOutOfBand } from './redirect.ts'

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

/** What the operator decided about choices. */
export interface ChoiceRules {
  /** Whether the host lets owners choose at all. */
  readonly choose: boolean
  /** The longest that an assistant may be allowed something. */
  readonly maxDuration: AssistantDuration
}

export function permissionChoice(request: AuthorizeRequest, choose: boolean): PermissionChoice {
  if (request.resource !== undefined) return 'open'
  if (!choose) return 'off'
  if (request.app !== undefined) return 'linked'
  return request.scope === '*' ? 'everything' : 'open'
}

/** Out-of-band clients ask for a code by hand each time: a time of their own would break them. */
export function durationsOf(
  request: AuthorizeRequest,
  { choose, maxDuration }: ChoiceRules,
): readonly ConsentDuration[] {
  if (request.resource !== undefined) return assistantDurations(maxDuration)
  return choose && !isOutOfBand(request.redirectUri) ? CONSENT_DURATIONS : []
}

/** What an answer is read against. */
export interface ChoiceOptions extends ChoiceRules {
  /** Prefix of doctypes. */
  readonly namespace: string
  /** Whether the client has a rule already, whole. */
  readonly isAllowed: (rule: Permission) => boolean
}

/**
 * Reads what the form says beside the request: `choice=2` with `group-<key>-<right>` and `permission-<n>-<right>` for
 * each right that stays, or `choice=1` with `permission-<n>` for each rule that stays, by its place in `scope`;
 * `duration`. Neither: everything, until it is revoked; of a resource: what only reads, for a day. What an assistant was
 * allowed before has no ticks of its own there.
 * @throws OAuthError 400 for a choice that was not offered, or a duration that does not exist
 */
export function readConsentAnswer(
  form: Parameters,
  request: AuthorizeRequest,
  options: ChoiceOptions,
): ConsentAnswer {
  const isOfResource = request.resource !== undefined
  const preset = isOfResource ? assistantDuration(options.maxDuration) : 'until_revoked'
  const duration = form.get('duration') ?? preset
  const offered = durationsOf(request, options)
  if (!isDuration(duration) || (isOfResource && !offered.includes(duration)))
    throw authorizeError('invalidParameter')
  if (duration !== 'until_revoked' && !offered.includes(duration))
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

function isDuration(text: string): text is ConsentDuration {
  return Object.hasOwn(DURATIONS_MS, text)
}
