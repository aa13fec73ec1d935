import { X509Certificate } from 'node:crypto'
import type { StatsFs } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Hashing } from '@svc/auth-ui'
import type { NotifyFigures } from '@svc/notify'
import type { Assistants } from '@svc/oauth-core'
import type { Instance, Instances } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Config } from '../config/config.ts'
import { PRODUCT_VERSION } from '../processes/product-version.ts'
import { readBackupVerified } from '../storage/backup-record.ts'
import { bucketsOf, instrument, type MetricName } from './metric-table.ts'
import type { SetFigures } from './settable-figures.ts'
import { SlowCount } from './slow-count.ts'

/** Where the figures of the host as a whole come from. */
export interface HostFigureSources {
  readonly config: Pick<Config, 'dataDir' | 'tls'>
  readonly store: Store
  readonly instances: Pick<Instances, 'list'>
  /** Absent: there are none. */
  readonly assistants?: Pick<Assistants, 'list'>
  readonly hashing: Hashing
  readonly notifications: () => NotifyFigures
  /** Counts of audited events. */
  readonly audited: ReadonlyMap<string, number>
  readonly settable: SetFigures
  /** Whether there is too little space for what grows. */
  readonly isSpaceLow: () => boolean
}

interface PromClasses {
  readonly Counter: typeof Counter
  readonly Gauge: typeof Gauge
  readonly Histogram: typeof Histogram
}

export function registerHostFigures(
  { Counter, Gauge, Histogram }: PromClasses,
  registry: Registry,
  sources: HostFigureSources,
): void {
  const { audited, config, hashing, isSpaceLow, settable, store } = sources
  const registers = [registry]
  /** A gauge that is read when somebody looks; undefined: it is not shown. */
  function gauge(name: MetricName, read: () => Promise<number | undefined> | number): void {
    new Gauge({
      ...instrument(name),
      registers,
      async collect() {
        this.reset()
        const value = await read()
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  }

  new Gauge({ ...instrument<'node' | 'version'>('svc_build_info'), registers }).set(
    { version: PRODUCT_VERSION, node: process.versions.node },
    1,
  )
  new Counter({
    ...instrument<'event'>('svc_audit_total'),
    registers,
    collect() {
      this.reset()
      for (const [event, count] of audited) this.inc({ event }, count)
    },
  })
  new Gauge({
    ...instrument<'state'>('svc_hash_queue'),
    registers,
    collect() {
      for (const [state, count] of Object.entries(hashing.figures())) this.set({ state }, count)
    },
  })
  const seconds = new Histogram({
    ...instrument('svc_hash_seconds'),
    buckets: bucketsOf('svc_hash_seconds'),
    registers,
  })
  hashing.onRun((each) => seconds.observe(each))
  new Gauge({
    ...instrument<'kid'>('svc_sealing_values'),
    registers,
    collect() {
      this.reset()
      for (const [kid, count] of settable.sealingValues) this.set({ kid }, count)
    },
  })
  gauge('svc_low_space', () => Number(isSpaceLow()))
  gauge('svc_notifications_waiting', () => waiting(sources.notifications()))
  const disk = (): Promise<StatsFs | undefined> => statfs(config.dataDir).catch(() => undefined)
  gauge('svc_disk_free_bytes', async () => {
    const usage = await disk()
    return usage === undefined ? undefined : usage.bavail * usage.bsize
  })
  gauge('svc_disk_size_bytes', async () => {
    const usage = await disk()
    if (usage === undefined) return undefined
    const { bavail, bfree, blocks, bsize } = usage
    return (blocks - bfree + bavail) * bsize
  })
  gauge('svc_certificate_expiry_timestamp_seconds', () => certificateEnd(config.tls))
  gauge('svc_backup_verified_timestamp_seconds', async () => {
    const at = await readBackupVerified(store).catch(() => undefined)
    return (at ?? 0) / 1000
  })
  const { assistants, instances } = sources
  const ofInstances = new SlowCount(() => countInstances(instances))
  gauge('svc_instances', () => ofInstances.current())
  const ofGrants = new SlowCount(async () =>
    assistants === undefined ? 0 : countGrants(instances, assistants),
  )
  gauge('svc_mcp_grants', () => ofGrants.current())
}

function waiting({ accepted, finished }: NotifyFigures): number {
  return accepted - Object.values(finished).reduce((sum, count) => sum + count, 0)
}

async function certificateEnd(tls: Config['tls']): Promise<number | undefined> {
  if (tls === undefined) return undefined
  const pem = await readFile(tls.cert).catch(() => undefined)
  return pem === undefined ? undefined : Date.parse(new X509Certificate(pem).validTo) / 1000
}

async function countInstances(instances: Pick<Instances, 'list'>): Promise<number> {
  let count = 0
  for await (const page of pagesOf(instances)) count += page.length
  return count
}

/** Grants of assistants that are live. */
async function countGrants(
  instances: Pick<Instances, 'list'>,
  assistants: Pick<Assistants, 'list'>,
): Promise<number> {
  let count = 0
  for await (const page of pagesOf(instances)) {
    for (const instance of page) {
      for (const { grants } of await assistants.list(instance)) count += grants.length
      // Requests come first: an embedded store answers without a pause.
      await setImmediate()
    }
  }
  return count
}

async function* pagesOf(instances: Pick<Instances, 'list'>): AsyncGenerator<readonly Instance[]> {
  let cursor: string | undefined
  do {
    const page = await instances.list(cursor === undefined ? {} : { cursor })
    yield page.instances
    cursor = page.cursor
  } while (cursor !== undefined)
}
