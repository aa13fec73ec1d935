import { randomBytes } from 'node:crypto'
import { openMailbox } from '@svc/testkit'
import { type Child, startChild } from '../child.ts'
import type { Made } from '../scale-server.ts'
import { type EngineName, type Engine, startEngine } from './engines.ts'
import { type HotKeys, watchKeys } from './hot-keys.ts'
import { OWNED } from './goals.ts'
import { fitLine, type Line, type Reading } from './line.ts'
import { bytesOfTags, type TagBytes } from './redis-bytes.ts'
import { add, perInstance } from './tag-growth.ts'

export interface EngineOptions {
  readonly name: EngineName
  readonly instances: number
  /** Goes on to 2.5 times as many, and holds the line against what is there. */
  readonly checkLine: boolean
  readonly say: (line: string) => void
}

export interface EngineFigures {
  readonly name: EngineName
  readonly instances: number
  readonly line: Line
  /** Bytes of one of each; of an instance, the slope of the line. */
  readonly bytes: Readonly<Record<Made, number>>
  /** What the line said of more instances, and what they were. */
  readonly check?: { readonly instances: number; readonly expected: number; readonly bytes: number }
  /** Of Redis, with its instances alone. */
  readonly tags?: ReadonlyMap<string, TagBytes>
  /** Of Redis: what an instance of the mix adds to the tags, all of the mix included. */
  readonly mix?: ReadonlyMap<string, TagBytes>
  readonly hotKeys?: HotKeys
}

const STEPS = 10
const CHECK_FACTOR = 2.5
/** Characters of the id of an instance. */
export const ID_LENGTH = 22
/** How many instances get what of the mix: as many as an owner has, so that indexes cost what they do there. */
const SAMPLES: readonly (readonly [made: Exclude<Made, 'instance'>, instances: number])[] = [
  ['client', 2000],
  ['session', 2000],
  ['login', 500],
  ['notification', 20],
]
/** Of the job whose keys are watched. */
const REPLAYED = 50

/** Fills an engine with instances, then some of them with what owners have, and weighs it in between. */
export async function measureEngine(options: EngineOptions): Promise<EngineFigures> {
  const { name, instances, checkLine, say } = options
  const mailbox = await openMailbox()
  const engine = await startEngine(name)
  const key = `bench:${randomBytes(32).toString('base64')}`
  const withServer = async (use: (child: Child) => Promise<unknown>): Promise<void> => {
    const child = await startChild('scale-server.ts', [
      engine.folder,
      engine.place,
      key,
      mailbox.url,
    ])
    try {
      await use(child)
    } finally {
      await child.stop()
    }
    mailbox.clear()
  }
  const readTags = async (): Promise<ReadonlyMap<string, TagBytes> | undefined> =>
    name === 'redis' ? bytesOfTags(engine.port, ID_LENGTH) : undefined
  const fill = async (from: number, to: number): Promise<Reading> => {
    await withServer((child) => child.ask({ ask: 'instance', hosts: hostsOf(from, to) }))
    const reading = { count: to, bytes: await engine.weigh() }
    say(`scale: ${name}, ${to} instances, ${reading.bytes} bytes`)
    return reading
  }
  try {
    const readings: Reading[] = []
    for (let step = 1; step <= STEPS; step += 1) {
      const to = Math.round((instances * step) / STEPS)
      readings.push(await fill(Math.round((instances * (step - 1)) / STEPS), to))
    }
    const line = fitLine(readings)
    const tags = await readTags()
    const check = checkLine ? await checkedLine(line, instances, fill) : undefined
    const bytes: Record<Made, number> = {
      instance: line.slope,
      client: 0,
      session: 0,
      login: 0,
      notification: 0,
    }
    const mix = tags && perInstance(new Map(), tags, instances)
    let [bytesBefore, tagsBefore] = [await engine.weigh(), check ? await readTags() : tags]
    for (const [made, some] of SAMPLES) {
      const hosts = hostsOf(0, Math.min(some, instances))
      const all = Array.from({ length: OWNED[made] }, () => hosts).flat()
      await withServer(async (child) => {
        await child.ask({ ask: made, hosts: all })
        if (made === 'notification') await child.ask({ ask: 'rest', hosts })
      })
      const [bytesAfter, tagsAfter] = [await engine.weigh(), await readTags()]
      bytes[made] = (bytesAfter - bytesBefore) / all.length
      if (mix && tagsBefore && tagsAfter) {
        add(mix, perInstance(tagsBefore, tagsAfter, hosts.length))
      }
      bytesBefore = bytesAfter
      tagsBefore = tagsAfter
      say(`scale: ${name}, ${made}: ${Math.round(bytes[made])} bytes`)
    }
    const hotKeys = name === 'redis' ? await replay(engine, withServer, instances) : undefined
    return {
      name,
      instances,
      line,
      bytes,
      ...(check !== undefined && { check }),
      ...(tags !== undefined && { tags }),
      ...(mix !== undefined && { mix }),
      ...(hotKeys !== undefined && { hotKeys }),
    }
  } finally {
    await engine.stop()
    await mailbox.close()
  }
}

async function checkedLine(
  { start, slope }: Line,
  instances: number,
  fill: (from: number, to: number) => Promise<Reading>,
): Promise<NonNullable<EngineFigures['check']>> {
  const many = Math.round(instances * CHECK_FACTOR)
  const { bytes } = await fill(instances, many)
  return { instances: many, expected: start + slope * many, bytes }
}

/** New owners, who connect a client each, log in and are told something. */
async function replay(
  engine: Engine,
  withServer: (use: (child: Child) => Promise<unknown>) => Promise<void>,
  instances: number,
): Promise<HotKeys> {
  let hotKeys: HotKeys | undefined
  await withServer(async (child) => {
    const end = await watchKeys(engine.port, ID_LENGTH)
    const hosts = Array.from(
      { length: Math.min(REPLAYED, instances) },
      (_, i) => `r${i}.example.com`,
    )
    for (const ask of ['instance', 'client', 'session', 'login', 'notification'] as const) {
      await child.ask({ ask, hosts })
    }
    hotKeys = end()
  })
  if (hotKeys === undefined) throw new Error('nothing was replayed')
  return hotKeys
}

function hostsOf(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, i) => `i${from + i}.example.com`)
}
