import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasRedisServer, startRedisServer } from '@svc/store/testing'
import { type Mailbox, needsRedis, openMailbox } from '@svc/testkit'
import { expect } from 'chai'
import { until } from '../support/until.ts'
import { type Child, startChild } from './child.ts'
import { describeLeftOver } from './left-over.ts'

const DOMAIN = 'alice.example.com'
const KILLS = 20
const TOTAL = 500
/** Accepted by each that is killed, when it gets that far. */
const SHARE = 20

/** What was accepted, and how often it arrived. */
interface Ledger {
  /** The store, as processes are given it. */
  readonly place: string
  readonly accepted: Set<string>
  readonly mailbox: Mailbox
  readonly children: ReadonlySet<Child>
  /** A process that does nothing yet: loading what it is made of takes the longest. */
  load(): Child
}

describe('kill -9 of processes that accept and deliver notifications', function () {
  this.timeout(150_000)
  let folder: string
  let onSqlite: Promise<Ledger>
  let onRedis: Promise<Ledger>

  // Both at once: most of the time is spent waiting for leases of dead processes.
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-notify-'))
    onSqlite = killOnSqlite()
    onRedis = hasRedisServer() ? killOnRedis() : Promise.reject(new Error('there is no Redis'))
    await Promise.allSettled([onSqlite, onRedis])
  })
  after(() => rm(folder, { recursive: true }))

  it('loses none on SQLite, and repeats hardly any, with the same Message-ID', async () => {
    expectFewRepeats(await onSqlite)
  })

  it('loses none on Redis with two processes, and repeats hardly any', async function () {
    needsRedis(this)
    expectFewRepeats(await onRedis)
  })

  async function killOnSqlite(): Promise<Ledger> {
    const ledger = await openLedger(path.join(folder, 'store.db'))
    try {
      let next = ledger.load()
      for (let kills = 0; kills < KILLS; kills += 1) {
        const child = next
        await child.begin(SHARE)
        next = ledger.load()
        await sleep(randomInt(50, 700))
        await child.kill()
      }
      await next.begin(TOTAL - ledger.accepted.size)
      await settle(ledger)
      return ledger
    } finally {
      await end(ledger)
    }
  }

  async function killOnRedis(): Promise<Ledger> {
    const redis = await startRedisServer()
    const ledger = await openLedger(redis.url)
    try {
      const running = [ledger.load(), ledger.load()]
      await Promise.all(running.map((child) => child.begin(SHARE)))
      for (let kills = 0; kills < KILLS; kills += 1) {
        const next = ledger.load()
        await sleep(randomInt(50, 500))
        const [elder] = running.splice(0, 1)
        await elder?.kill()
        const isLast = kills === KILLS - 1
        await next.begin(isLast ? TOTAL - ledger.accepted.size : SHARE)
        running.push(next)
      }
      await settle(ledger)
      return ledger
    } finally {
      await end(ledger)
      await redis.stop()
    }
  }

  async function openLedger(place: string): Promise<Ledger> {
    const mailbox = await openMailbox()
    const accepted = new Set<string>()
    const own = new Set<Child>()
    return {
      accepted,
      children: own,
      mailbox,
      place,
      load() {
        const child = startChild('delivery-process.ts', [place, String(mailbox.port)], {
          cache: path.join(folder, 'cache'),
          onLine: (line) => {
            if (line.startsWith('accepted ')) accepted.add(line.slice('accepted '.length))
          },
        })
        own.add(child)
        return child
      },
    }
  }

  async function end({ children: own, mailbox }: Ledger): Promise<void> {
    await Promise.all([...own].map((child) => child.kill()))
    await mailbox.close()
  }

  /** The last one goes on until everything that was accepted so far has arrived. */
  async function settle(ledger: Ledger): Promise<void> {
    const { accepted, children, mailbox, place } = ledger
    await until(() => accepted.size >= TOTAL, 40_000)
    const wanted = [...accepted]
    const lost = (): readonly string[] => {
      const here = new Set(mailbox.mails.map(({ messageId }) => messageId))
      return wanted.filter((id) => !here.has(`<${id}@${DOMAIN}>`))
    }
    await until(() => lost().length === 0, 40_000).catch(() => undefined)
    const left = lost()
    if (left.length === 0) return
    await Promise.all([...children].map((child) => child.kill()))
    const states = await describeLeftOver(place, DOMAIN, left)
    throw new Error(`${left.length} of ${wanted.length} were lost:\n${states}`)
  }
})

function expectFewRepeats({ mailbox }: Ledger): void {
  const different = new Set(mailbox.mails.map(({ messageId }) => messageId))
  expect(mailbox.mails.length - different.size).to.be.at.most(KILLS)
}
