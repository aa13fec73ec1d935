import type { OAuth } from '@svc/oauth-core'
import { type Instance, randomId } from '@svc/platform'
import type { EnrolledFactor, Factors } from '../owner/factors.ts'
import type { AuthUiServices } from '../services.ts'
import type { NewOwnFactor, OwnFactor } from './own-factor.ts'

const STATE_BYTES = 2048
const SHOWN_CHARS = 1024
const ANSWER_CHARS = 64

type Services = Pick<AuthUiServices, 'clock' | 'log'> & {
  readonly oauth: Pick<OAuth, 'sealer'>
  readonly options: { readonly factors: readonly OwnFactor[] }
}

/** A factor of the host that is being enrolled, and what its owner is shown. @throws TypeError when the host's answer is none */
export async function newOwnFactor(
  { oauth, clock }: Pick<Services, 'clock' | 'oauth'>,
  instance: Instance,
  own: OwnFactor,
): Promise<{ readonly factor: EnrolledFactor; readonly show: NewOwnFactor['show'] }> {
  const { show, state } = await own.enrol(instance)
  requireState(own.name, state)
  const { secret, uri } = show
  const shown = [secret, uri].filter((text) => text !== undefined)
  if (shown.length === 0 || shown.some((text) => text === '' || text.length > SHOWN_CHARS)) {
    throw new TypeError(`factor ${own.name}: shows nothing, or more than ${SHOWN_CHARS} characters`)
  }
  const id = randomId()
  const sealed = oauth.sealer.seal(state, ownFactorContext(instance.id, id))
  return {
    factor: { id, name: own.name, state: sealed, createdAt: clock.now() },
    show: { ...(secret !== undefined && { secret }), ...(uri !== undefined && { uri }) },
  }
}

/**
 * The factor with its next state, or undefined when the answer is wrong. What the host's code does wrong is a refusal that
 * the log names: it never lets anybody in, and it never spoils the other factors.
 */
export function acceptOwn(
  services: Services,
  instance: Instance,
  factor: EnrolledFactor,
  typed: string,
): EnrolledFactor | undefined {
  const { clock, log, oauth, options } = services
  const { domain } = instance
  const own = options.factors.find(({ name }) => name === factor.name)
  if (own === undefined) {
    log.error('own_factor.missing', { domain, factor: kindOf(factor) })
    return undefined
  }
  const answer = typed.replaceAll(/\s/gu, '')
  if (answer === '' || answer.length > ANSWER_CHARS) return undefined
  const now = clock.now()
  const context = ownFactorContext(instance.id, factor.id)
  try {
    const next = nextState(own, oauth.sealer.open(factor.state, context).toString(), answer, now)
    if (next === undefined) return undefined
    return { ...factor, state: oauth.sealer.seal(next, context), lastUsed: now }
  } catch (error) {
    log.error('own_factor.failed', { domain, factor: kindOf(factor), cause: String(error) })
    return undefined
  }
}

/** The factors with the one that took the answer as it is now; undefined: none did. */
export function acceptAnyOwn(
  services: Services,
  instance: Instance,
  factors: Factors,
  typed: string,
): { readonly by: `x-${string}`; readonly factors: Factors } | undefined {
  const { own = [] } = factors
  for (const factor of own) {
    const used = acceptOwn(services, instance, factor, typed)
    if (used === undefined) continue
    const changed = own.map((each) => (each.id === used.id ? used : each))
    return { by: kindOf(used), factors: { ...factors, own: changed } }
  }
  return undefined
}

/** What the state of a factor of the host is sealed for. @param id - of the factor */
export function ownFactorContext(instanceId: string, id: string): string {
  return `own-factor:${instanceId}:${id}`
}

function kindOf({ name }: EnrolledFactor): `x-${string}` {
  return `x-${name}`
}

/** @throws TypeError for what is no answer, and what the host's code throws */
function nextState(own: OwnFactor, state: string, answer: string, now: number): string | undefined {
  // The host's code may be plain JavaScript.
  const outcome: unknown = own.verify(state, answer, now)
  const { result, state: next } = (outcome ?? {}) as { result?: unknown; state?: unknown }
  if (result === 'wrong') return undefined
  if (result !== 'right') throw new TypeError(`factor ${own.name}: verify answers no result`)
  requireState(own.name, next)
  return next
}

function requireState(name: string, state: unknown): asserts state is string {
  if (typeof state === 'string' && Buffer.byteLength(state) <= STATE_BYTES) return
  throw new TypeError(`factor ${name}: the state is no text of at most ${STATE_BYTES} bytes`)
}
