import type { OAuth } from '@svc/oauth-core'
import type { Instance, Logger, RateLimits } from '@svc/platform'
import type { AccountTypes } from '../account-types/account-type.ts'
import type { Lifetimes } from '../lifetimes.ts'
import type { ConnectorsBucket } from '../limits.ts'
import type { AccountStore, EventSink } from '../ports.ts'
import { createAccountLoader } from './account-loader.ts'
import { createAttempt } from './refresh-attempt.ts'
import { createAutoRefresh } from './auto-refresh.ts'
import { createTokenKeeper } from './token-journal.ts'
import { createRefresher } from './refresh-account.ts'
import { createRefreshLocks } from './refresh-lock.ts'
import { createRefreshPlan } from './refresh-plan.ts'
import { NO_STATE } from './refresh-state.ts'
import { createAccountRows } from './account-rows.ts'
import { createTokenSaving } from './token-saving.ts'
import type { TokenClient } from '../token-client/provider.ts'
import { type AccountDocument, accountTypeName } from './account.ts'
import { createAccountSeal } from './account-seal.ts'
import { createAccountViews } from './account-view.ts'
import type { Accounts } from './accounts.ts'
import { createAnnouncements, type EmitConnectorEvent } from './announce.ts'
import { createConnectorFields } from './connector-fields.ts'
import { createAccountWriter } from './connect-account.ts'
import { createDeletion } from './delete-account.ts'
import { createImporter } from './import-account.ts'
import { createAccountOperations } from './operate-accounts.ts'
import { sealAuth } from './legacy-auth.ts'
import { createAccountMarker } from './mark-account.ts'
import { createRotation } from './rotate-accounts.ts'

export interface AccountsOptions {
  readonly oauth: OAuth
  readonly accounts: AccountStore
  readonly accountTypes: Pick<AccountTypes, 'get'>
  readonly tokenClient: Pick<TokenClient, 'refresh' | 'revoke'>
  /** @defaultValue nobody is told */
  readonly events?: EventSink | undefined
  readonly emit: EmitConnectorEvent
  readonly lifetimes: Lifetimes
  readonly log: Logger
  readonly limits: Pick<RateLimits<ConnectorsBucket>, 'hit'>
  /** Whether tokens are refreshed ahead of their end. */
  readonly autoRefresh: boolean
  readonly exposeRefreshToken: boolean
  readonly allowClientSideExchange: boolean
}

/** Assembles what happens to accounts. */
export function createAccounts(options: AccountsOptions): Accounts {
  const { oauth, accounts, accountTypes: types, tokenClient, limits, lifetimes, log } = options
  const { store, clock, instances, namespace } = oauth
  const flags = {
    exposesRefreshToken: options.exposeRefreshToken,
    allowsClientSideExchange: options.allowClientSideExchange,
  }
  const seal = createAccountSeal({ sealer: oauth.sealer, namespace, log })
  const { events, emit } = options
  const announcements = createAnnouncements({ events, emit, namespace, log })
  const { scheduler } = store
  const plan = createRefreshPlan({ scheduler, isOn: options.autoRefresh, lifetimes, log })
  const keeper = createTokenKeeper({ accounts, seal, announcements, plan: planNext, log })
  const loader = createAccountLoader({ store, accounts, keeper, log })
  const locks = createRefreshLocks({ store, clock, lifetimes })
  const marker = createAccountMarker({ accounts, announcements, clock, log })
  const saving = createTokenSaving({ store, clock, keeper, keptMs: lifetimes.orphan, log })
  const run = createAttempt({
    ...{ clock, lifetimes, loader, log, marker, plan, saving, seal, tokenClient },
  })
  const refresher = createRefresher({ clock, lifetimes, loader, locks, log, run, seal })
  const views = createAccountViews({ types, seal, ...flags })
  const deletion = createDeletion({
    ...{ accounts, announcements, loader, locks, log, plan, seal, store, tokenClient },
  })
  const auto = createAutoRefresh({
    ...{ scheduler, clock, instances, types, loader, plan, refresher, lifetimes, log },
  })
  const writer = createAccountWriter({ accounts, announcements, clock, log, plan, seal })

  async function planNext(instance: Instance, account: AccountDocument): Promise<void> {
    const type = await types.get(accountTypeName(account), instance.context)
    if (type !== undefined) await plan.plan(instance, { account, state: NO_STATE }, type)
  }

  return {
    connect: writer.connect,
    rows: createAccountRows({
      ...{ namespace, types, loader, refresher, deletion, views },
      authenticate: (ctx) => oauth.authenticate(ctx),
      countRefresh: (instance, accountId) => limits.hit(instance, 'account-refresh', accountId),
      allowsClientSideExchange: flags.allowsClientSideExchange,
    }),
    view: (instance, account, viewer) => views.view(instance, account, viewer),
    fieldsForConnector: createConnectorFields({
      ...{ clock, types, loader, refresher, seal, log },
      ...flags,
    }),
    importAccount: createImporter({ accounts, announcements, clock, log, plan, seal, types }),
    sealAuth: (instance, account) => sealAuth(seal, instance, account),
    accountDeleted: deletion.noteDeleted,
    ...createAccountOperations({ types, loader, refresher, deletion }),
    rotate: createRotation({ accounts, instances, loader, log, seal }),
    async start() {
      if (options.autoRefresh) await auto.start()
    },
    close: () => auto.stop(),
  }
}
