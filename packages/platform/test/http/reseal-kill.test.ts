import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { recordKey, type Store, systemClock } from '@svc/store'
import { redisStore } from '@svc/store/redis'
import { sqliteStore } from '@svc/store/sqlite'
import { startRedisServer } from '@svc/store/testing'
import { needsRedis } from '@svc/testkit'
import { expect } from 'chai'
import type { Instance } from '../../src/instances/instance.ts'
import { checkSealingKeys } from '../../src/keys/sealing-keys.ts'
import { keyNamed, SealedStore } from '../support/sealed-store.ts'

const PROGRAM = fileURLToPath(new URL('./reseal-process.ts', import.meta.url))
const INSTANCES = 12

/** @see operation.md 3.5 */
describe('a reseal whose process is killed', function () {
  this.timeout(60_000)
  const [k1, k2] = [keyNamed('k1'), keyNamed('k2')]

  function spawnReseal(place: string): ChildProcess {
    const keys = [k2, k1].map(({ kid, key }) => `${kid}:${Buffer.from(key).toString('hex')}`)
    return spawn(process.execPath, ['--conditions=source', PROGRAM, place, ...keys], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }

  /** Resolves when a process has sealed so many records. */
  async function hasSealed(child: ChildProcess, count: number): Promise<void> {
    if (child.stdout === null) throw new Error('a child without output')
    let left = count
    for await (const _line of createInterface(child.stdout)) {
      left -= 1
      if (left === 0) return
    }
    throw new Error('the process ended before it was killed')
  }

  /** Opens the store, does something, and lets go of it: the embedded one is one process's. */
  async function using<Result>(
    place: string,
    use: (store: Store) => Promise<Result>,
  ): Promise<Result> {
    const store = place.startsWith('redis')
      ? redisStore({ url: place })
      : sqliteStore({ file: place })
    try {
      return await use(store)
    } finally {
      await store.close()
    }
  }

  async function countSealed(
    place: string,
    instances: readonly Instance[],
    kid: string,
  ): Promise<number> {
    return using(place, async (store) => {
      let count = 0
      for (const { id } of instances) {
        for (const name of ['access', 'session', 'mail']) {
          const record = await store.get(recordKey(id, 'keys', name))
          if (JSON.stringify(record?.value).includes(`"${kid}.`)) count += 1
        }
      }
      return count
    })
  }

  async function killTwice(place: string): Promise<void> {
    const instances = await using(place, async (store) => {
      await checkSealingKeys({ store, clock: systemClock, keys: [k1] })
      const sealed = new SealedStore(store, [k1], systemClock)
      const made: Instance[] = []
      for (let at = 0; at < INSTANCES; at += 1)
        made.push(await sealed.create(`i${at}.example.com`, 3))
      await checkSealingKeys({ store, clock: systemClock, keys: [k2, k1] })
      await sealed.close()
      return made
    })
    let before = 0
    for (let kill = 0; kill < 2; kill += 1) {
      const child = spawnReseal(place)
      await hasSealed(child, 5)
      child.kill('SIGKILL')
      await once(child, 'close')
      const now = await countSealed(place, instances, 'k2')
      expect(now, 'sealed before the kill').to.be.greaterThan(before)
      expect(now, 'sealed before the kill').to.be.lessThan(INSTANCES * 3)
      before = now
      // Its lease is over then.
      await sleep(600)
    }
    const last = spawnReseal(place)
    expect(await once(last, 'close')).to.deep.equal([0, null])
    expect(await countSealed(place, instances, 'k1')).to.equal(0)
    await using(place, async (store) => {
      await checkSealingKeys({ store, clock: systemClock, keys: [k2] })
      const sealed = new SealedStore(store, [k2], systemClock)
      for (const instance of instances) {
        expect((await sealed.keyring.current(instance, 'access')).kid).to.equal('access.1')
        expect(await sealed.read(instance, '0')).to.deep.equal([0, 'plain 0', 'a 0', 'b 0'])
      }
      await sealed.close()
    })
  }

  it('goes on where it was, on SQLite', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-reseal-'))
    try {
      await killTwice(path.join(folder, 'store.db'))
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('goes on where it was, on Redis', async function () {
    needsRedis(this)
    const redis = await startRedisServer()
    try {
      await killTwice(redis.url)
    } finally {
      await redis.stop()
    }
  })
})
