import { hash } from 'node:crypto'
import type { InstanceId } from '@svc/platform'

/** Spreads over a cluster what belongs to no instance. Never to be changed: records of before would not be found. */
const SHARDS = 64

/** Every tag that {@link shardTag} gives. */
export const SHARD_TAGS: readonly string[] = Array.from({ length: SHARDS }, (_, shard) =>
  tagOf(shard),
)

/** Stands for an instance in keys of what is found without one; the same text always has the same tag. */
export function shardTag(text: string): InstanceId {
  const shard = (hash('sha256', text, 'buffer')[0] ?? 0) % SHARDS
  // Tags and instance ids share a form; no instance id begins like this one.
  return tagOf(shard) as InstanceId
}

function tagOf(shard: number): string {
  return `account-shard-${shard}`
}
