import type { Activity } from '@svc/activity'
import type { AuthUi } from '@svc/auth-ui'
import type { Notify } from '@svc/notify'
import type { OAuth } from '@svc/oauth-core'
import type { RouteRow } from '@svc/platform'
import type { Realtime } from '@svc/realtime'
import type Koa from 'koa'
import type { HostConnectors } from './accounts/host-connectors.ts'
import type { HostApps } from './apps/registry.ts'
import type { HostKeys } from './keys/host-keys.ts'
import type { HostKonnectors } from './konnectors/registry.ts'
import type { Health } from './monitoring/health.ts'
import type { SettableFigures } from './monitoring/settable-figures.ts'
import type { Probe } from './checks/probe.ts'
import type { Metrics } from './monitoring/metrics.ts'
import type { StatusBoard } from './monitoring/status.ts'
import type { DevMailbox, DevOutbox } from './notifications/development.ts'
import type { DiskQuota } from './quota/disk-quota.ts'
import type { HostEventLog } from './log/log.ts'
import type { OwnerPhones } from './notifications/owner-phone.ts'

/** Everything a host is made of, assembled by `createHostApp`; it listens nowhere yet. */
export interface HostServices {
  readonly koa: Koa
  /** All endpoints but those of development. */
  readonly rows: readonly RouteRow[]
  readonly oauth: OAuth
  readonly ui: AuthUi
  readonly activity: Activity
  readonly realtime: Realtime
  readonly apps: HostApps
  readonly konnectors: HostKonnectors
  readonly accounts: HostConnectors
  readonly notify: Notify
  readonly phones: OwnerPhones
  /** Marks the lines of the audit stream, and counts them. */
  readonly log: HostEventLog
  readonly quota: DiskQuota
  /** Only where no SMTP server is set and this is not production. */
  readonly mailbox: DevMailbox | undefined
  /** Only where nobody takes pushes, or nobody takes texts, and this is not production. */
  readonly outbox: DevOutbox | undefined
  readonly devPages: DevPages
  readonly health: Health
  readonly probe: Probe
  readonly keys: HostKeys
  readonly metrics: Metrics
  /** What `svc status` shows. */
  readonly status: StatusBoard
  /** Figures that parts of the host set when they know them. */
  readonly settable: SettableFigures
  /**
   * Makes the demo instance and says what to open, where there is to be one.
   * @param port - of the public listener
   */
  welcome(port: number): Promise<void>
  /** Checks what only the packages can judge, and asks for wake-ups. */
  start(): Promise<void>
  /** Finishes what is under way. The store is the caller's. */
  close(): Promise<void>
}

/** The pages below `/dev/`, which the demo has and production does not. */
export interface DevPages {
  /** Whether they exist; looks through the instances, and turns them off for good when one is of another domain. */
  areOn(): Promise<boolean>
  /** To be told of the hosts of new instances, and new aliases. */
  noteHosts(hosts: readonly string[]): Promise<void>
}

export const NO_DEV_PAGES: DevPages = { areOn: async () => false, noteHosts: async () => {} }
