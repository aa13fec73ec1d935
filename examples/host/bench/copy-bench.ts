import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { randomId } from '@svc/platform'
import { type DumpEntry, indexKey, type Key, recordKey, type Store, systemClock } from '@svc/store'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type CopyReport, copyStore } from '../src/storage/copy-store.ts'
import {
  openSource,
  openTarget,
  parseAddress,
  type StoreAddress,
} from '../src/storage/store-address.ts'
import type { Figure } from './figure.ts'

export interface CopyBenchOptions {
  readonly records: number
  readonly say: (line: string) => void
}

interface Pass {
  readonly seconds: number
  /** Of this process, which both stores' clients are in; what a busy machine takes besides is waiting. */
  readonly cpuSeconds: number
  readonly report: CopyReport
}

/** Of an owner, with about 400 bytes each. */
const OF_INSTANCE = 40
const VALUE_CHARACTERS = 360
/** One of so many records is changed between the passes, and one of ten times as many is removed. */
const CHANGED = 100
const WHOLE_S = 300
const STOP_S = 30
const DAY_MS = 86_400_000

/**
 * How long `svc store copy` takes for both passes, either way: first while a server may use the source, then while none
 * does. @see operation.md 4.4
 */
export async function benchCopy({ records, say }: CopyBenchOptions): Promise<readonly Figure[]> {
  if (!hasRedisServer()) throw new Error('redis-server is not installed')
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-copy-'))
  const redis = await startRedisServer({ args: ['--appendfsync', 'everysec'] })
  try {
    const embedded = parseAddress(`sqlite:${path.join(folder, 'store.db')}`)
    const shared = parseAddress(redis.url)
    const back = parseAddress(`sqlite:${path.join(folder, 'back.db')}`)
    const { store } = await openTarget(embedded)
    await store.load(made(records))
    await store.close()
    say(`copy: ${records} records made`)
    return [
      ...(await measureWay('sqlite to redis', embedded, shared, records, say)),
      ...(await measureWay('redis to sqlite', shared, back, records, say)),
    ]
  } finally {
    await redis.stop()
    await rm(folder, { recursive: true })
  }
}

async function measureWay(
  way: string,
  from: StoreAddress,
  to: StoreAddress,
  records: number,
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  const first = await pass(from, to, true)
  say(`copy: ${way}, first pass ${toText(first)}`)
  await change(from, records)
  const second = await pass(from, to, false)
  const { changed, deleted } = second.report
  say(`copy: ${way}, stop ${toText(second)}`)
  return [
    toFigure(`${way}, first pass`, first, WHOLE_S - STOP_S, `${records} records`),
    toFigure(`${way}, the stop`, second, STOP_S, `${changed} changed, ${deleted} deleted`),
  ]
}

async function pass(from: StoreAddress, to: StoreAddress, isInUse: boolean): Promise<Pass> {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const source = await openSource(from)
  try {
    const target = await openTarget(to)
    try {
      const used = isInUse ? { ...source, store: undefined } : source
      const report = await copyStore(used, target, { clock: systemClock, progress: () => {} })
      const { user, system } = process.cpuUsage(cpu)
      const cpuSeconds = (user + system) / 1e6
      return { seconds: (performance.now() - started) / 1000, cpuSeconds, report }
    } finally {
      await target.store.close()
    }
  } finally {
    await source.close()
  }
}

/** What a server does to its store while the first pass runs. */
async function change(address: StoreAddress, records: number): Promise<void> {
  const { store } = await openTarget(address)
  const keys = await everyKey(store, CHANGED)
  for (const [position, key] of keys.entries()) {
    const isRemoved = position % 10 === 0
    await store.write([isRemoved ? { op: 'delete', key } : { op: 'revise', key, value: 'new' }])
  }
  await store.close()
  if (keys.length < records / CHANGED / 2) throw new Error(`only ${keys.length} were changed`)
}

async function everyKey(store: Store, nth: number): Promise<Key[]> {
  const keys: Key[] = []
  let count = 0
  for await (const entry of store.dump()) {
    if (entry.type !== 'record' || !entry.key.includes(':thing:')) continue
    if (count % nth === 0) keys.push(entry.key)
    count += 1
  }
  return keys
}

function* made(records: number): Generator<DumpEntry> {
  let instance = ''
  for (let count = 0; count < records; count += 1) {
    if (count % OF_INSTANCE === 0) instance = randomId()
    const id = randomBytes(16).toString('hex')
    const text = randomBytes(VALUE_CHARACTERS / 2).toString('hex')
    const expires = count % 2 === 0 ? { expiresAt: Date.now() + 30 * DAY_MS } : {}
    yield {
      type: 'record',
      key: recordKey(instance, 'thing', id),
      value: { text, count },
      // As a store makes them.
      revision: `made${count.toString(36)}` as never,
      indexes: [{ index: indexKey(instance, 'things'), sort: String(count).padStart(12, '0') }],
      ...expires,
    }
  }
}

function toFigure(name: string, measured: Pass, limit: number, reference: string): Figure {
  return {
    name,
    value: toText(measured),
    reference,
    target: `≤ ${limit} s`,
    isMet: measured.seconds <= limit,
  }
}

function toText({ seconds, cpuSeconds }: Pass): string {
  return `${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of them computing`
}
