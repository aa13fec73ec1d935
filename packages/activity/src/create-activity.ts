import {
  type ActivityLog,
  bindRoutes,
  createRateLimits,
  type Instance,
  type RouteRow,
  versionedStore,
} from '@svc/platform'
import type { Middleware } from 'koa'
import { Chainer } from './chain/chainer.ts'
import { canonical } from './chain/entry.ts'
import { pendingChange } from './chain/pending.ts'
import { Pruner } from './chain/prune.ts'
import { SealNotices } from './chain/seal-notices.ts'
import { ActivityError } from './errors.ts'
import { ACTIVITY_OPTIONS, type ActivityOptions } from './options.ts'
import { ACTIVITY_RECORDS } from './records.ts'
import { noteRefusal, startRefusals } from './refusals/refusals.ts'
import { activityRoutes } from './routes.ts'
import type { ActivityServices } from './services.ts'
import { Usage } from './usage/usage.ts'
import { exportLines } from './verify/export-lines.ts'
import { type Verification, verifyChain } from './verify/verify-chain.ts'

/** The record of what happened. */
export interface Activity {
  /** `/settings/activity*`; behind `resolveInstance`. */
  routes(): Middleware
  /** The rows of {@link Activity.routes}, for documents and tests. */
  readonly rows: readonly RouteRow[]
  /** What the other packages note with; the platform has it already. */
  readonly log: ActivityLog
  /** Adds everything that was noted until now to the chain of the instance. */
  chain(instance: Pick<Instance, 'id'>): Promise<void>
  /** Verifies the whole chain, seals included. */
  verify(instance: Pick<Instance, 'domain' | 'id'>): Promise<Verification>
  /** To be called once an instance was taken in: verifies its chain, and goes on with what is counted of its day. */
  imported(instance: Pick<Instance, 'domain' | 'id'>): Promise<Verification>
  /** The whole record as JSON lines, which `npx @svc/activity verify` verifies. */
  exportLines(instance: Pick<Instance, 'domain' | 'id'>): AsyncIterable<string>
  /** Takes what other processes left. */
  start(): Promise<void>
  /** Writes what was counted, and chains what waits in this process. */
  close(): Promise<void>
}

/**
 * Assembles the package, and from then on the platform's actions are noted.
 * @throws TypeError listing every fault of the options with its path
 * @example
 * const activity = createActivity({ platform: oauth, owners: ui.settingsOwners })
 * app.use(activity.routes())
 */
export function createActivity(given: ActivityOptions): Activity {
  const options = ACTIVITY_OPTIONS.settle(given)
  const {
    platform,
    owners,
    clock,
    log,
    retentionDays,
    maxEntries,
    limits,
    tellSeal: tell,
  } = options
  const { sealer, namespace } = platform
  const store = versionedStore(platform.store, ACTIVITY_RECORDS, log)
  platform.records.declare(ACTIVITY_RECORDS)
  const pruner = new Pruner({ store, clock, retentionDays, maxEntries })
  const seals = new SealNotices({
    store,
    clock,
    log,
    find: (id) => platform.instances.byId(id),
    tell,
  })
  const chainer: Chainer = new Chainer({
    store,
    sealer,
    clock,
    log,
    afterwards: async (instanceId) => {
      // What was pruned is noted, too.
      if (await pruner.look(instanceId)) chainer.notice(instanceId)
      await seals.look(instanceId)
    },
  })
  const usage = new Usage({ store, clock, log, chainer })
  const notes: ActivityLog = {
    pending({ id }, event) {
      chainer.notice(id)
      return [pendingChange(id, event, clock.now())]
    },
    refused: ({ id }, event) => noteRefusal({ store, clock, log, chainer }, id, event),
    used: (instance, use) => usage.note(instance, use),
  }
  const services: ActivityServices = {
    store,
    sealer,
    clock,
    log,
    namespace,
    chainer,
    owners,
    notes,
    limits: createRateLimits({ store, clock, limits, tooMany }),
  }
  const verify: Activity['verify'] = async ({ id, domain }) => {
    await chainer.chain(id)
    const found = await verifyChain(services, id)
    if (found.fault !== undefined) {
      const { seq, reason } = found.fault
      log.error('activity.broken', { domain, seq, reason })
    }
    return found
  }
  const rows = bindRoutes(activityRoutes, services)
  platform.useActivity(notes)
  const stops: (() => Promise<void>)[] = []

  return {
    routes: () => platform.mount(rows, { log, limits: services.limits, demandsActivity: true }),
    rows,
    log: notes,
    chain: ({ id }) => chainer.chain(id),
    verify,
    async imported(instance) {
      await usage.conclude(instance.id)
      return verify(instance)
    },
    async *exportLines(instance) {
      await chainer.chain(instance.id)
      for await (const line of exportLines(store, instance, clock.now())) {
        yield `${canonical(line)}\n`
      }
    },
    async start() {
      if (stops.length > 0) return
      const refusals = await startRefusals({ store, clock, log, chainer })
      stops.push(await chainer.start(), refusals, await usage.start(), await seals.start())
    },
    async close() {
      await Promise.all(stops.splice(0).map((stop) => stop()))
      await usage.flush()
      await chainer.close()
    },
  }
}

function tooMany(_bucket: string, retryAfterS: number): ActivityError {
  return new ActivityError('rate_limited', { headers: { 'Retry-After': String(retryAfterS) } })
}
