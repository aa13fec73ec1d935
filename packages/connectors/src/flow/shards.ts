import { hash } from 'node:crypto'
import type { InstanceId } from '@svc/platform'

/** Spreads over a cluster what belongs to no instance. Never to be changed: records of before would not be found. */
const SHARDS = 64

/** Stands for an instance in keys of what is found without one; the same text always has the same tag. */
export function shardTag(text: string): InstanceId {
  const shard = (hash('sha256', text, 'buffer')[0] ?? 0) % SHARDS
  // Tags and instance ids share a form; no instance id begins like this one.
  return `account-shard-${shard}` as InstanceId
}
