import type { RouteContext } from './request-state.ts'

/** Who may be behind a request; words of the reference. */
export type Caller =
  | 'none'
  | 'session cookie'
  | 'app token'
  | 'settings app token'
  | 'access token'
  | 'konnector token'
  | 'registration access token'
  | 'client secret'
  | 'passphrase'
  | 'passkey'
  | 'code'

/**
 * Who may call, as the router asks it: it passes or throws, before the body is read. The documents print its name and
 * its callers.
 */
export interface RouteAuth<in Services = void> {
  (ctx: RouteContext, services: Services): Promise<void> | void
  readonly name: string
  readonly callers: readonly Caller[]
  /** Absent: the function itself decides. Else: the rule of the handler that does, since only it can. */
  readonly provedBy?: string
}

/**
 * A rule that the router enforces.
 * @param callers - who passes
 * @param require - a named function: throws unless the request is of one of the callers
 * @example
 * export const requireMember: RouteAuth<{ isMember(ctx: RouteContext): Promise<boolean> }> = requirement(
 *   ['session cookie'],
 *   async function requireMember(ctx, { isMember }) {
 *     if (!(await isMember(ctx))) throw new RequestError('forbidden')
 *   },
 * )
 */
export function requirement<Services>(
  callers: readonly Caller[],
  require: (ctx: RouteContext, services: Services) => Promise<void> | void,
): RouteAuth<Services> {
  // A function of its own: one `require` may stand for several rules.
  const ask = (ctx: RouteContext, services: Services): Promise<void> | void =>
    require(ctx, services)
  return named(require.name, Object.assign(ask, { callers }))
}

/** Anybody may call. */
export const anybody: RouteAuth<unknown> = passes('anybody', ['none'])

/**
 * What is posted proves who calls, such as a passphrase or a code: only the handler's rule can tell.
 * @param callers - what proves it
 * @param provedBy - the rule that looks at it, such as `login/passphrase-check.ts`
 */
export function provedInHandler(callers: readonly Caller[], provedBy: string): RouteAuth<unknown> {
  return Object.assign(passes('provedInHandler', callers), { provedBy })
}

/** The rule with the services that it asks. */
export function bindAuth<Services>(auth: RouteAuth<Services>, services: Services): RouteAuth {
  const { callers, name, provedBy } = auth
  const ask = (ctx: RouteContext): Promise<void> | void => auth(ctx, services)
  return named(name, Object.assign(ask, { callers, ...(provedBy !== undefined && { provedBy }) }))
}

function passes(name: string, callers: readonly Caller[]): RouteAuth<unknown> {
  return named(
    name,
    Object.assign(() => {}, { callers }),
  )
}

function named<Rule extends object>(name: string, rule: Rule): Rule {
  // The name of a function is not writable, but may be defined anew.
  return Object.defineProperty(rule, 'name', { value: name })
}
