import { createHash } from 'node:crypto'

/** How many parts the directory of hosts has; part of what is stored, never changed. */
export const SHARDS = 64

/** The part of a host. */
export function shardOf(host: string): number {
  return (createHash('sha256').update(host).digest()[0] ?? 0) % SHARDS
}

/** What stands for an instance in the keys of a part. */
export function shardTag(shard: number): string {
  return `hosts-${shard}`
}
