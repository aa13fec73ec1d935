import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type RedisServer, sendToRedis, startRedisServer } from '@svc/store/testing'
import { scaledLimit } from '@svc/testkit'
import type { Program } from '../support/program.ts'

/** A master with a replica, and sentinels that watch them. */
export interface Watched {
  readonly url: string
  /** @returns what waits until the other one is the master */
  killMaster(): Promise<() => Promise<void>>
  /** The one that was killed comes back, as the replica. */
  mend(): Promise<void>
}

const SENTINELS = 3
const MASTER = 'people'
/** Sentinels look every few seconds. */
const PATIENCE_MS = scaledLimit(60_000)

export async function startWatched({ atEnd }: Pick<Program, 'atEnd'>): Promise<Watched> {
  async function start(options: Parameters<typeof startRedisServer>[0]): Promise<RedisServer> {
    const server = await startRedisServer(options)
    atEnd(() => server.stop())
    return server
  }
  const quick = ['--repl-diskless-sync-delay', '0']
  const first = await start({ args: quick })
  const second = await start({ args: [...quick, '--replicaof', '127.0.0.1', String(first.port)] })
  const sentinels: RedisServer[] = []
  for (let n = 0; n < SENTINELS; n += 1) {
    const file = path.join(first.dir, `sentinel-${n}.conf`)
    const lines = [
      `sentinel monitor ${MASTER} 127.0.0.1 ${first.port} 2`,
      `sentinel down-after-milliseconds ${MASTER} ${scaledLimit(1000)}`,
      `sentinel failover-timeout ${MASTER} 3000`,
    ]
    writeFileSync(file, lines.join('\n'))
    sentinels.push(await start({ sentinel: file }))
  }
  let [master, replica] = [first, second]

  /** Each sentinel knows the others, the master and a replica that follows it: before that there is no fail-over. */
  async function isWatched({ port }: RedisServer): Promise<boolean> {
    const about = await ask(port, `SENTINEL master ${MASTER}`)
    const replicas = await ask(port, `SENTINEL replicas ${MASTER}`)
    return (
      about.includes(`\r\n${master.port}\r\n`) &&
      about.includes(`num-other-sentinels\r\n$1\r\n${SENTINELS - 1}`) &&
      /\r\nflags\r\n\$5\r\nslave\r\n/.test(replicas) &&
      /link-status\r\n\$2\r\nok/.test(replicas)
    )
  }
  async function areWatched(): Promise<boolean> {
    for (const sentinel of sentinels) if (!(await isWatched(sentinel))) return false
    return true
  }
  await settle('sentinels that know everybody', areWatched)

  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${MASTER}`,
    async killMaster() {
      await master.kill()
      return async () => {
        const isMaster = async (): Promise<boolean> =>
          (await ask(replica.port, 'ROLE')).includes('master')
        await settle('a new master', isMaster)
        ;[master, replica] = [replica, master]
      }
    },
    async mend() {
      await replica.restart()
      await settle('sentinels that know everybody', areWatched)
    },
  }
}

async function settle(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`there is no sign of ${what}`)
    await pause(100)
  }
}

/** Nothing when a sentinel closes the connection meanwhile, as it does in a fail-over. */
function ask(port: number, command: string): Promise<string> {
  return sendToRedis(port, command).catch(() => '')
}
