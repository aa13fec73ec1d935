import { type Instance, type RateLimits, type RouteContext, type RouteHandler } from '@svc/platform'
import { accountTypeName } from '../accounts/account.ts'
import { isAccountId } from '../accounts/account-id.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsBucket } from '../limits.ts'
import type { AccountStore, OwnerLogins } from '../ports.ts'
import type { Begin } from './begin.ts'
import type { Binder } from './flow-cookie.ts'
import { checkQuerySize, pathParameter, redirectTo } from './flow-requests.ts'
import type { ReadStartParameters } from './start-parameters.ts'
import type { UsableTypes } from './usable-type.ts'

export interface StartOptions {
  readonly accounts: Pick<AccountStore, 'get'>
  readonly sessions: OwnerLogins
  readonly usableTypes: UsableTypes
  readonly readStartParameters: ReadStartParameters
  readonly begin: Begin
  readonly binder: Binder
  readonly limits: RateLimits<ConnectorsBucket>
  /** Whether answers count in the browser that started alone. */
  readonly isBinding: boolean
}

/** `GET …/start` and `GET …/reconnect`. */
export interface StartHandlers {
  readonly start: RouteHandler
  readonly reconnect: RouteHandler
}

/** @see connectors.md 4.1, 4.7 */
export function createStartHandlers(options: StartOptions): StartHandlers {
  const { accounts, sessions, usableTypes, readStartParameters, begin, binder } = options

  /** A code is used up whoever is logged in. */
  async function demandOwner(ctx: RouteContext): Promise<void> {
    const code = ctx.state.query.text('session_code')
    const isAdmitted = code !== '' && (await sessions.admit(ctx, code))
    if (!isAdmitted && (await sessions.current(ctx)) === undefined) {
      throw new ConnectorError('login_required', { description: 'the owner is not logged in' })
    }
  }

  async function demandAccount(instance: Instance, id: string, typeName: string): Promise<void> {
    const account = isAccountId(id) ? await accounts.get(instance, id) : undefined
    if (account === undefined || accountTypeName(account) !== typeName) {
      throw new ConnectorError('account_not_found', {
        description: 'there is no such account of this type',
      })
    }
  }

  /** SPEC: connectors.md 4.1 - the log-in before the type, so that strangers learn nothing of types. */
  async function run(ctx: RouteContext, accountId: string | undefined): Promise<void> {
    const { instance, query } = ctx.state
    checkQuerySize(ctx)
    await demandOwner(ctx)
    demandNavigation(ctx)
    await options.limits.hit(instance, 'account-start')
    const usable = await usableTypes.find(instance, pathParameter(ctx, 'accountType'))
    const { type } = usable
    if (accountId !== undefined) await demandAccount(instance, accountId, type.name)
    const asked = await readStartParameters(instance, type, query)
    const isBound = options.isBinding && type.hasBrowserBinding
    const target = await begin(instance, usable, asked, {
      ...(accountId !== undefined && { accountId }),
      ...(isBound && { binderHash: binder.bind(ctx) }),
    })
    redirectTo(ctx, target)
  }

  return {
    start: (ctx) => run(ctx, undefined),
    reconnect: (ctx) => run(ctx, pathParameter(ctx, 'accountId')),
  }
}

/** Browsers that say how a request came about must say that somebody goes there. */
function demandNavigation(ctx: RouteContext): void {
  const mode = ctx.get('Sec-Fetch-Mode')
  if (mode !== '' && mode !== 'navigate') {
    throw new ConnectorError('navigation_required', {
      description: 'browsers go here, scripts do not',
    })
  }
}
