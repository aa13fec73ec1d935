import { setTimeout } from 'node:timers/promises'
import { DAY_MS, type Instance, originOfApp, type RecordRegistry, toFound } from '@svc/platform'
import { type Change, describeError, type DumpedRecord, type Json, type Store } from '@svc/store'
import type { HostEventLog } from '../log/log.ts'
import type { HostServices } from '../services.ts'
import {
  putNotice,
  putRestored,
  readNotice,
  readRestored,
  type Restored,
} from './restored-record.ts'

/** Changes of one write. */
const AT_ONCE = 100
/** Between two rounds of mails when some could not be sent. Milliseconds. */
const MAIL_RETRY_MS = 10 * 60_000

/** What owners of a restored store would log in with again, beside all that is short-lived. */
const ENDED: ReadonlySet<string> = new Set([
  'session',
  'trusted-device',
  'account-state-place',
  // One that was revoked since would do what it may again.
  'admin-token',
])
/** Mails and pushes that development keeps to look at. */
const KEPT: ReadonlySet<string> = new Set(['dev-mail', 'dev-outbox-entry', 'restored-notice'])

interface AfterRestoreOptions {
  readonly app: Pick<HostServices, 'notify' | 'oauth'>
  readonly store: Store
  readonly log: HostEventLog
}

/** Tells owners, beside the server's work. */
export interface Telling {
  /** Gives up what waits; the next start goes on. */
  stop(): Promise<void>
}

/**
 * A restored store is the past: at the first start after it, before anybody is served, everything ends that may have
 * been ended since. One that was killed meanwhile is repeated as a whole.
 * @returns undefined where nobody is to be told
 * @see operation.md 4.2 (3)
 */
export async function settleRestored(options: AfterRestoreOptions): Promise<Telling | undefined> {
  const { store, log } = options
  const restored = await readRestored(store)
  if (restored === undefined || restored.state === 'told') return undefined
  if (restored.state === 'restored') {
    await endThePast(options, restored)
    await store.write([putRestored({ ...restored, state: 'ended' })])
    log.warn('store.restored', {
      backupAt: new Date(restored.backupAt).toISOString(),
      grantsRevoked: restored.revokeGrants,
    })
  }
  return tellOwners(options, restored)
}

async function endThePast({ app, store }: AfterRestoreOptions, restored: Restored): Promise<void> {
  const { oauth, notify } = app
  const { clock, keyring } = oauth
  const changes = new Map<string, Change[]>()
  for await (const entry of store.dump()) {
    if (entry.type !== 'record') break
    const change = endOf(entry, oauth.records)
    if (change === undefined) continue
    const { tag } = toFound(entry)
    const ofTag = [...(changes.get(tag) ?? []), change]
    changes.set(tag, ofTag)
    if (ofTag.length < AT_ONCE) continue
    changes.delete(tag)
    await store.write(ofTag)
  }
  for (const ofTag of changes.values()) await store.write(ofTag)
  for await (const instance of allInstances(oauth.instances)) {
    await keyring.rotate(instance, { revoke: true })
    while (!(await store.write(await keyring.replaceSessionKey(instance))).written);
    await keyring.replaced(instance)
    if (restored.revokeGrants) await oauth.clients.revokeGrants(instance, 'restored')
    await notify.expireOverdue(instance, clock.now() - DAY_MS)
    await noteRestore({ app, store }, instance)
  }
}

/** Once for each restore: the chain begins anew there, and names where the old one ended (D85). */
async function noteRestore(
  { app: { oauth }, store }: Pick<AfterRestoreOptions, 'app' | 'store'>,
  instance: Instance,
): Promise<void> {
  const notice = await readNotice(store, instance.id)
  if (notice === undefined || notice.isNoted === true) return
  const detail = { backup_at: new Date(notice.backupAt).toISOString() }
  await store.write([
    { ...putNotice(instance.id, { ...notice, isNoted: true }), ifPresent: true },
    ...oauth.activity.pending(instance, {
      event: 'store.restored',
      actor: { kind: 'operator' },
      detail,
    }),
  ])
}

/** What becomes of a record: undefined when it stays as it is. */
function endOf(entry: DumpedRecord, registry: RecordRegistry): Change | undefined {
  const { kind: name, value, key } = toFound(entry)
  if (KEPT.has(name)) return undefined
  const kind = registry.get(name)
  const isShort = kind?.tags === 'instance' && kind.export !== 'yes' && kind.isCounter !== true
  if (ENDED.has(name) || isShort) return { op: 'delete', key }
  if (name === 'owner') {
    const { reset: _reset, ...owner } = value as { readonly [name: string]: Json } // An owner's record.
    return { op: 'revise', key, value: { ...owner, registerTokens: [] } }
  }
  // A code that nobody exchanged yet, and with it all there is of the grant.
  const { code } = value as { readonly code?: { readonly consumedAt?: number } }
  return name === 'grant' && code?.consumedAt === undefined ? { op: 'delete', key } : undefined
}

/** Sends the mails one after the other; those that cannot be sent are tried again later. */
function tellOwners(options: AfterRestoreOptions, restored: Restored): Telling {
  const { store, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  async function run(): Promise<void> {
    while (!signal.aborted) {
      const left = await tellOnce(options, signal)
      if (signal.aborted) return
      if (left === 0) {
        await store.write([putRestored({ ...restored, state: 'told' })])
        return
      }
      await setTimeout(MAIL_RETRY_MS, undefined, { ref: false, signal })
    }
  }
  const running = run().catch((error: unknown) => {
    if (!signal.aborted) log.error('restore.not_told', { cause: describeError(error) })
  })
  return {
    stop() {
      stopping.abort()
      return running
    },
  }
}

/** @returns how many owners could not be told */
async function tellOnce(
  { app, store, log }: AfterRestoreOptions,
  signal: AbortSignal,
): Promise<number> {
  let left = 0
  for await (const instance of allInstances(app.oauth.instances)) {
    if (signal.aborted) return left
    const notice = await readNotice(store, instance.id)
    if (notice === undefined || notice.isMailed || instance.status === 'deleting') continue
    const { backupAt } = notice
    // In the query: whoever logs in on the way there would lose a fragment.
    const url = `${originOfApp(instance, 'settings')}/?section=apps`
    try {
      if (instance.email !== undefined) {
        const variables = { url, backupAt }
        await app.notify.mailer.send(instance, { template: 'space_restored', variables })
      }
      await store.write([
        { ...putNotice(instance.id, { ...notice, isMailed: true }), ifPresent: true },
      ])
    } catch (error) {
      left++
      log.warn('restore.mail_failed', { domain: instance.domain, cause: describeError(error) })
    }
  }
  return left
}

type Instances = HostServices['oauth']['instances']

async function* allInstances(instances: Instances): AsyncGenerator<Instance> {
  let cursor: string | undefined
  do {
    const page = await instances.list(cursor === undefined ? {} : { cursor })
    yield* page.instances
    cursor = page.cursor
  } while (cursor !== undefined)
}
