import { lookup as resolve } from 'node:dns/promises'
import type { Instances, Logger, Sealer } from '@svc/platform'
import {
  cidrs,
  defineOptions,
  func,
  type OptionsDefinition,
  type OptionsFor,
  port,
  type Settled,
  text,
} from '@svc/platform/options'
import type { Clock, Store } from '@svc/store'
import type { ConnectorsLog } from '../log/log-events.ts'

/** What is needed to tell whether an entry may be provisioned. */
export interface EntryGateOptions {
  /** Takes lines for the operator. */
  readonly log: Logger
  /** Whose hosts a `redirect_uri` may have. @defaultValue any host */
  readonly instances?: Pick<Instances, 'byHost'>
  /** The common address for answers, which a `redirect_uri` may have too. @defaultValue none */
  readonly callbackUrl?: string
  /** CIDRs that entries with `trusted_network` may use over plain http. @defaultValue none */
  readonly trustedNetworks?: readonly string[]
  /** Addresses of a name. @defaultValue those of the machine's resolver */
  readonly lookup?: (hostname: string) => Promise<readonly string[]>
}

/** What `createAccountTypes` is told. */
export interface AccountTypeStoreOptions extends EntryGateOptions {
  /** Where types are kept. */
  readonly store: Store
  /** Seals their secrets. */
  readonly sealer: Pick<Sealer, 'derive'>
}

/** What `accountTypesFromFile` is told. */
export interface AccountTypesFileOptions extends EntryGateOptions {
  /** A JSON array of entries. At most 16 MiB. */
  readonly file: string
  /** Tells when to look at the file again. */
  readonly clock: Clock
}

/** What `createEntryReader` is told. */
export interface EntryReaderOptions {
  /** Takes what is wrong with an entry. */
  readonly log: Logger
}

/** The same with nothing left open. */
export type SettledGateOptions = Settled<EntryGateOptions, 'callbackUrl' | 'instances'> & {
  readonly log: ConnectorsLog
}

const log = port<Logger>(['info', 'warn', 'error'])
const gate = {
  log,
  instances: port<Pick<Instances, 'byHost'>>(['byHost']).optional('any host'),
  callbackUrl: text('an absolute URL', (url) => URL.canParse(url)).optional(),
  trustedNetworks: cidrs().or([], 'none'),
  lookup: func<NonNullable<EntryGateOptions['lookup']>>().or(
    addressesOf,
    "those of the machine's resolver",
  ),
}

export const ENTRY_GATE_OPTIONS: OptionsDefinition<SettledGateOptions> = defineOptions(
  gate satisfies OptionsFor<EntryGateOptions>,
)

export const ACCOUNT_TYPE_STORE_OPTIONS: OptionsDefinition<
  SettledGateOptions & Pick<AccountTypeStoreOptions, 'sealer' | 'store'>
> = defineOptions({
  ...gate,
  store: port<Store>(['get', 'getMany', 'write', 'list']),
  sealer: port<Pick<Sealer, 'derive'>>(['derive']),
} satisfies OptionsFor<AccountTypeStoreOptions>)

export const ACCOUNT_TYPES_FILE_OPTIONS: OptionsDefinition<
  SettledGateOptions & Pick<AccountTypesFileOptions, 'clock' | 'file'>
> = defineOptions({
  ...gate,
  file: text('a path'),
  clock: port<Clock>(['now']),
} satisfies OptionsFor<AccountTypesFileOptions>)

export const ENTRY_READER_OPTIONS: OptionsDefinition<{ readonly log: ConnectorsLog }> =
  defineOptions({
    log,
  } satisfies OptionsFor<EntryReaderOptions>)

async function addressesOf(hostname: string): Promise<readonly string[]> {
  const found = await resolve(hostname, { all: true })
  return found.map(({ address }) => address)
}
