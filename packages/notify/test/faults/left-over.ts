import { redisPatience } from '@svc/testkit'
import { createOAuth } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { createOutbox } from '../../src/outbox/outbox.ts'

const silent = { info() {}, warn() {}, error() {} }

/** Opens the store that a text names: a Redis URL, or the path of a SQLite file. */
export async function openStore(place: string): Promise<Store> {
  if (!place.startsWith('redis')) {
    const { sqliteStore } = await import('@svc/store/sqlite')
    return sqliteStore({ file: place })
  }
  const { redisStore } = await import('@svc/store/redis')
  return redisStore({ url: place, ...redisPatience() })
}

/** How notifications stand in a store that no process uses any more, one a line. */
export async function describeLeftOver(
  place: string,
  domain: string,
  ids: readonly string[],
): Promise<string> {
  const store = await openStore(place)
  const apps = {
    installed: async () => undefined,
    listInstalled: async () => [],
    available: async () => undefined,
  }
  const oauth = createOAuth({
    store,
    apps,
    log: silent,
    keys: [{ kid: 'test', key: Buffer.alloc(32, 7) }],
  })
  try {
    const { clock } = oauth
    const outbox = createOutbox({ store, clock, lifetimes: DEFAULT_LIFETIMES, log: silent })
    const instance = await oauth.instances.byHost(domain)
    if (instance === undefined) return 'not even the instance'
    const lines = ids.map(async (id) => {
      const stored = await outbox.get(instance.id, id)
      if (stored === undefined) return `${id} not there`
      const { status, reason, crashes, dueAt, lease, attempts } = stored.record
      const dueInMs = dueAt - clock.now()
      return `${id} ${JSON.stringify({ status, reason, crashes, dueInMs, lease, attempts })}`
    })
    return (await Promise.all(lines)).join('\n')
  } finally {
    await oauth.close()
    await store.close()
  }
}
