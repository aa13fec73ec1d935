import {
  type AccountStore,
  accountTypesFromFile,
  type AccountTypesFile,
  type Connectors,
  createConnectors,
} from '@svc/connectors'
import type { Notify } from '@svc/notify'
import type { OAuth } from '@svc/oauth-core'
import type { AuthUi } from '@svc/auth-ui'
import type { Realtime } from '@svc/realtime'
import type { Clock } from '@svc/store'
import { type Config, ConfigError } from '../config/config.ts'
import { connectorsOptions, trustedNetworksOf } from '../config/connectors.ts'
import type { DocumentStore } from '../documents/document-store.ts'
import type { HostKonnectors } from '../konnectors/registry.ts'
import { connectorsOverrides } from '../config/overrides.ts'
import { createAccountStore } from './account-store.ts'
import { tellReconnectRequired } from './reconnect-required.ts'
import type { HostEventLog } from '../log/log.ts'

/** Accounts at providers, on this host. */
export interface HostConnectors {
  readonly connectors: Connectors
  readonly store: AccountStore
  /** Reads the file of account types again. What was read before stays when something is wrong with it. */
  reload(): Promise<void>
  /** @throws ConfigError when there is a file of account types that cannot be used */
  start(): Promise<void>
}

export interface HostConnectorsOptions {
  readonly config: Config
  readonly oauth: OAuth
  readonly sessions: AuthUi['sessions']
  readonly realtime: Realtime
  readonly documents: DocumentStore
  readonly konnectors: HostKonnectors
  readonly log: HostEventLog
  readonly clock: Clock
  /** Tells owners that an account needs them. */
  readonly notify: Pick<Notify, 'post'>
}

const PAGE = 100

/** @see connectors.md 14 */
export function createHostConnectors(options: HostConnectorsOptions): HostConnectors {
  const { config, oauth, sessions, realtime, documents, konnectors, log, clock } = options
  const type = `${config.namespace}.accounts`
  const accounts = createAccountStore(documents, type)
  const trustedNetworks = trustedNetworksOf(config)
  const { callbackUrl } = config.connectors
  const file = config.accountTypesFile
  const fromFile: AccountTypesFile | undefined =
    file === undefined
      ? undefined
      : accountTypesFromFile({
          file,
          clock,
          log,
          trustedNetworks,
          instances: oauth.instances,
          ...(callbackUrl !== undefined && { callbackUrl }),
        })
  const connectors = createConnectors({
    oauth,
    accounts,
    sessions,
    log,
    trustedNetworks,
    events: realtime,
    manifests: { manifestOf: async (_instance, slug) => konnectors.find(slug) },
    ...(fromFile !== undefined && { accountTypes: fromFile }),
    ...connectorsOptions(config.connectors),
    ...connectorsOverrides(config),
  })
  const { accountTypes } = connectors
  connectors.on(
    'account.reconnect_required',
    tellReconnectRequired({ accountTypes, konnectors, notify: options.notify, log }),
  )

  // Before their documents go: nothing of them is refreshed any more.
  oauth.instances.onRemove(async (instance) => {
    let cursor: string | undefined
    do {
      const page = await accounts.list(instance, { limit: PAGE, ...(cursor && { cursor }) })
      for (const account of page.accounts) await connectors.accountDeleted(instance, account)
      cursor = page.cursor
    } while (cursor !== undefined)
  })

  return {
    connectors,
    store: accounts,
    async reload() {
      await fromFile?.reload()
    },
    async start() {
      if ((await fromFile?.reload()) === false) {
        throw new ConfigError(['SVC_ACCOUNT_TYPES_FILE: cannot be used; the log names every fault'])
      }
      await connectors.start()
    },
  }
}
