import type { TagBytes } from './redis-bytes.ts'

type Tags = ReadonlyMap<string, Readonly<TagBytes>>

/** What each of so many instances added to the tags. */
export function perInstance(before: Tags, after: Tags, instances: number): Map<string, TagBytes> {
  return new Map(
    [...after].map(([tag, { keys, bytes }]) => {
      const was = before.get(tag) ?? { keys: 0, bytes: 0 }
      return [tag, { keys: (keys - was.keys) / instances, bytes: (bytes - was.bytes) / instances }]
    }),
  )
}

/** Adds sizes to others, tag by tag. */
export function add(sums: Map<string, TagBytes>, more: Tags): void {
  for (const [tag, { keys, bytes }] of more) {
    const sum = sums.get(tag) ?? { keys: 0, bytes: 0 }
    sums.set(tag, { keys: sum.keys + keys, bytes: sum.bytes + bytes })
  }
}
