import type { Instance, RateLimits, RouteRow } from '@svc/platform'
import type { AccountTypes } from '../account-types/account-type.ts'
import type { AccountWriter } from '../accounts/account-writer.ts'
import type { ConnectorsBucket } from '../limits.ts'
import type { ResolvedOptions } from '../options.ts'
import type { TokenClient } from '../token-client/provider.ts'
import { createBegin } from './begin.ts'
import { createBinder } from './flow-cookie.ts'
import { type CallbackHandlers, createCallbackHandlers } from './callback.ts'
import { createConclude } from './complete-flow.ts'
import { flowRows } from './rows.ts'
import { createReadStartParameters } from './start-parameters.ts'
import { createStartHandlers } from './start.ts'
import { createStates } from './flow-store.ts'
import { createTickets } from './tickets.ts'
import { createUsableTypes } from './usable-type.ts'

export interface FlowOptions {
  readonly options: ResolvedOptions
  readonly accountTypes: AccountTypes
  readonly tokenClient: TokenClient
  readonly writer: AccountWriter
  readonly limits: RateLimits<ConnectorsBucket>
}

/** From the owner's press of a button to the account. */
export interface Flow {
  readonly rows: readonly RouteRow[]
  readonly callback: CallbackHandlers
  /** Drops what an instance still waits for. */
  forget(instance: Pick<Instance, 'id'>): Promise<void>
}

/** Live states of an instance. @see connectors.md 11 */
const MAX_STATES = 200

/** @see connectors.md 4, 5 */
export function assembleFlow({
  options,
  accountTypes,
  tokenClient,
  writer,
  limits,
}: FlowOptions): Flow {
  const { oauth, lifetimes, log } = options
  const { store, sealer, clock } = oauth
  const kept = { store, sealer, clock, log }
  const states = createStates({ ...kept, lifetimeMs: lifetimes.state, max: MAX_STATES })
  const usableTypes = createUsableTypes({ ...options, accountTypes, tokenClient })
  const binder = createBinder(lifetimes.binder)
  const start = createStartHandlers({
    ...{ usableTypes, binder, limits },
    accounts: options.accounts,
    sessions: options.sessions,
    readStartParameters: createReadStartParameters({ ...options, apps: oauth.apps }),
    begin: createBegin({ states, clock, callbackUrl: options.callbackUrl }),
    isBinding: options.browserBinding === 'on',
  })
  const callback = createCallbackHandlers({
    ...{ states, binder, limits, clock },
    tickets: createTickets({ ...kept, lifetimeMs: lifetimes.ticket }),
    conclude: createConclude({ usableTypes, tokenClient, accounts: writer, log }),
    stateMs: lifetimes.state,
    clientAddress: (ctx) => oauth.clientAddress(ctx),
    instanceById: (id) => oauth.instances.byId(id),
  })
  return {
    rows: flowRows(start, callback),
    callback,
    forget: (instance) => states.forget(instance),
  }
}
