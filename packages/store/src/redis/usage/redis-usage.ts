import type { Clock } from '../../clock.ts'
import type { Usage } from '../../store.ts'
import { kindOf, tagOf } from '../../usage/counted-kinds.ts'
import type { UsageScripts } from './counting.ts'

/** What instances keep, by kind. */
export interface RedisUsage {
  /** Whether records of the key's kind are counted. */
  counts(key: string): boolean
  read(instance: string): Promise<Usage>
  recount(instance: string): Promise<Usage>
}

interface RedisUsageParts {
  readonly scripts: UsageScripts
  readonly runScript: (
    script: UsageScripts['read'],
    keys: readonly string[],
    args: readonly (string | number)[],
  ) => Promise<unknown>
  /** Names of all keys that begin like this, in batches; a name may come twice. */
  readonly scan: (prefix: string) => AsyncIterable<readonly string[]>
  readonly clock: Clock
  readonly countedKinds: readonly string[]
}

/** How often a count is begun again when something changed meanwhile. */
const TRIES = 5
/** Records of one step of a count. */
const STEP = 200

export function createRedisUsage(parts: RedisUsageParts): RedisUsage {
  const { clock, runScript, scan, scripts } = parts
  const kinds = new Set(parts.countedKinds)

  async function kept(tag: string): Promise<Map<string, number>> {
    const answer = await runScript(scripts.read, [`${tag}:#usage`], [clock.now(), prefixOf(tag)])
    return sums(answer as string[]) // The script answers a list of texts.
  }

  async function count(tag: string): Promise<Map<string, number>> {
    const keys = new Set<string>()
    for await (const batch of scan(`${tag}:`)) {
      for (const key of batch) if (kinds.has(kindOf(key))) keys.add(key)
    }
    const all = [...keys]
    const counted: string[] = []
    for (let at = 0; at < all.length; at += STEP) {
      const step = all.slice(at, at + STEP)
      const answer = await runScript(scripts.count, step, [clock.now(), prefixOf(tag)])
      counted.push(...(answer as string[])) // The script answers a list of texts.
    }
    return sums(counted)
  }

  async function read(instance: string): Promise<Usage> {
    const usage = await kept(tagOf(instance))
    return Object.fromEntries(
      [...kinds].flatMap((kind) => {
        const records = usage.get(`#${kind}`) ?? 0
        return records > 0 ? [[kind, { records, bytes: usage.get(kind) ?? 0 }]] : []
      }),
    )
  }

  return {
    counts: (key) => kinds.size > 0 && kinds.has(kindOf(key)),
    read,
    async recount(instance) {
      const tag = tagOf(instance)
      for (let left = TRIES; ; left--) {
        const before = [...(await kept(tag))]
        const counted = [...(await count(tag))]
        const seen = left === 0 ? ['force'] : [before.length, ...before.flat()]
        const isKept = await runScript(
          scripts.keep,
          [`${tag}:#usage`],
          [...seen, ...counted.flat()],
        )
        if (isKept === 1) return read(instance)
      }
    },
  }
}

function prefixOf(tag: string): string {
  return `${tag}:#index:`
}

function sums(pairs: readonly string[]): Map<string, number> {
  const found = new Map<string, number>()
  for (let at = 0; at < pairs.length; at += 2) {
    const field = pairs[at] ?? ''
    found.set(field, (found.get(field) ?? 0) + Number(pairs[at + 1]))
  }
  return found
}
