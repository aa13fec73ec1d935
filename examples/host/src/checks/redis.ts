import type { RedisFacts, RedisNodeFacts } from '@svc/store/redis'
import { type Check, type CheckContext, fault, type Finding, ok, warning } from './check.ts'

/** Of every Redis Cluster. */
const CLUSTER_SLOTS = 16_384
/** The oldest versions whose scripts and commands are known to work. */
const OLDEST = { Redis: [7, 0], Valkey: [7, 2] } as const

type Judge = (node: RedisNodeFacts, context: CheckContext) => Finding | undefined // undefined: Redis does not say.

/** A check of each node that takes writes; without Redis it has nothing to ask. */
function ofNodes(id: string, setting: string, judge: Judge): Check {
  return {
    id,
    when: 'start',
    run(context) {
      const { redis } = context
      if (redis === undefined) return []
      const findings = redis.nodes.map(
        (node) =>
          judge(node, context) ??
          warning(
            `Redis does not let us ask for ${setting}.`,
            'Look it up where you set this Redis up.',
          ),
      )
      const wrong = findings.find(({ state }) => state !== 'ok')
      return [wrong ?? findings[0] ?? ok('There is no Redis to ask.')]
    },
  }
}

/** Without which no store can be opened. @see operation.md 6.7 */
export const REDIS_USABLE: readonly Check[] = [
  {
    id: 'redis.commands',
    when: 'start',
    run({ redis, config }) {
      if (redis === undefined) return []
      const isNeeded = (name: string): boolean => name !== 'WAIT' || config.storeReplicas > 0
      const missing = redis.missing.filter(isNeeded)
      const forbidden = (redis.forbidden ?? []).filter(isNeeded)
      if (missing.length > 0) {
        return [
          fault(
            `This Redis does not know ${missing.join(', ')}.`,
            'Take one with scripts and publish/subscribe; some managed services leave them out.',
          ),
        ]
      }
      if (forbidden.length > 0) {
        return [
          fault(
            `This Redis does not let its user run ${forbidden.join(', ')}.`,
            'Give the user of SVC_STORE these commands in the access list of Redis (ACL SETUSER).',
          ),
        ]
      }
      return [ok('Redis knows every command that the store needs.')]
    },
  },
  {
    id: 'redis.slots',
    when: 'start',
    run({ redis }) {
      const { servedSlots } = redis ?? {}
      if (servedSlots === undefined) return []
      if (servedSlots === CLUSTER_SLOTS) return [ok('The Cluster serves all of its slots.')]
      return [
        fault(
          `This Redis Cluster serves ${servedSlots} of its ${CLUSTER_SLOTS} slots: the owners in the others have no store.`,
          'Give every slot a master that is up: "redis-cli --cluster check" names the open ones, "redis-cli --cluster fix" closes them.',
        ),
      ]
    },
  },
]

/** How Redis is set up. @see operation.md 2.2 */
export const REDIS_SETTINGS: readonly Check[] = [
  ofNodes('redis.appendonly', 'appendonly', ({ appendonly }) => {
    if (appendonly === undefined) return undefined
    if (appendonly) return ok('Redis keeps an append-only file.')
    return warning(
      'Redis keeps no append-only file: acknowledged writes are lost when it stops.',
      'Set "appendonly yes" in its configuration.',
    )
  }),
  ofNodes('redis.fsync', 'appendfsync', ({ appendfsync }) => {
    if (appendfsync === undefined) return undefined
    if (appendfsync !== 'no') return ok(`Redis syncs its append-only file (${appendfsync}).`)
    return warning(
      'Redis leaves it to the system when its append-only file is synced (appendfsync no).',
      'Set "appendfsync always", or "everysec" where losing one second is acceptable.',
    )
  }),
  ofNodes('redis.eviction', 'maxmemory-policy', ({ maxmemoryPolicy }, { config }) => {
    if (maxmemoryPolicy === undefined) return undefined
    if (maxmemoryPolicy === 'noeviction') return ok('Redis removes nothing by itself.')
    const report = config.isProduction ? fault : warning
    return report(
      `Redis removes records when memory is short (maxmemory-policy ${maxmemoryPolicy}), so that a revoked token may work again.`,
      'Set "maxmemory-policy noeviction" in its configuration.',
    )
  }),
  ofNodes('redis.version', 'its version', ({ product, version }) => {
    if (version === undefined) return undefined
    const oldest = OLDEST[product]
    const [major = 0, minor = 0] = version.split('.').map(Number)
    const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])
    if (!isOld) return ok(`This is ${product} ${version}.`)
    return warning(
      `This is ${product} ${version}, which is older than ${oldest.join('.')}.`,
      'Update it: older versions were never tried.',
    )
  }),
  ofNodes('redis.replicas', 'min-replicas-to-write', ({ minReplicasToWrite }, { config }) => {
    const { storeReplicas } = config
    if (storeReplicas === 0) return ok('Writes do not wait for replicas (SVC_STORE_REPLICAS).')
    if (minReplicasToWrite === undefined) return undefined
    if (minReplicasToWrite > 0) {
      return ok(`Redis refuses writes with fewer than ${minReplicasToWrite} replicas.`)
    }
    return warning(
      `Writes wait for ${storeReplicas} replicas, but a master that lost them goes on taking writes.`,
      `Set "min-replicas-to-write ${storeReplicas}" in the configuration of Redis.`,
    )
  }),
]

export const REDIS_CHECKS: readonly Check[] = [...REDIS_USABLE, ...REDIS_SETTINGS]

/** The clock of Redis: entries end by ours and by its own. */
export const clockRedis: Check = {
  id: 'clock.redis',
  when: 'start',
  run: ({ redis }) => (redis === undefined ? [] : [judgeAhead(redis)]),
}

export function judgeAhead({ aheadMs }: Pick<RedisFacts, 'aheadMs'>): Finding {
  if (aheadMs === undefined) {
    return warning(
      'Redis does not let us ask for its time.',
      'See to it that both machines get their time from the network.',
    )
  }
  const seconds = Math.abs(aheadMs) / 1000
  if (seconds <= 1) return ok('The clocks of this machine and of Redis agree.')
  const report = seconds > 30 ? fault : warning
  const where = aheadMs > 0 ? 'behind' : 'ahead of'
  return report(
    `The clock of this machine is ${seconds.toFixed(1)} s ${where} that of Redis.`,
    'Have both get their time from the network (NTP).',
  )
}
