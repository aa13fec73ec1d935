import { setTimeout as pause } from 'node:timers/promises'
import { hasRedisServer } from '@svc/store/testing'
import { openProvider, scaledLimit } from '@svc/testkit'
import { clientStory } from './kill/client-story.ts'
import {
  accountStory,
  documentStory,
  notificationStory,
  preferencesStory,
} from './kill/data-stories.ts'
import { checkRecord } from './kill/record.ts'
import { createOwner, factorStory, onboard, passphraseStory } from './kill/owner-story.ts'
import { SHARED_PASSPHRASE, sessionStory } from './kill/session-story.ts'
import { appOf, type Story, type World } from './kill/world.ts'
import { startKillableHost, type StoreKind } from './support/killable-host.ts'
import { openLedger, Unanswered } from './support/ledger.ts'
import { type Program, runProgram } from './support/program.ts'

// `kill -9` of the host, and of Redis where it is the store, while all kinds of changes are made. Every change that
// was acknowledged is looked up after each restart.
//   node --conditions=source examples/host/faults/kill.ts [--count 1000] [--store sqlite,redis] [--seed n]
// `--count` is shared by the stores. Passes when nothing was lost, revived or used twice, every change has its entry in
// the record of activity and none has two, and every kind was met.

const DOMAIN = 'alice.example.com'
const STORIES: readonly Story[] = [
  clientStory,
  passphraseStory,
  factorStory,
  sessionStory,
  documentStory,
  notificationStory,
  preferencesStory,
  accountStory,
]
/** Stories at a time. */
const LANES = 6
/** A change takes this long at most while nothing is killed. */
const PATIENCE_MS = scaledLimit(60_000)
/** An instance takes no registration while 100 clients wait to be allowed, and stories that are cut short leave them. */
const TIDY_EVERY = 20
/** After Redis is there again, the host is, without a restart. */
const BACK_MS = scaledLimit(10_000)

await runProgram('kill', { count: '1000', store: 'sqlite,redis' }, async (program) => {
  const kinds = program.option('store').split(',')
  let hasPassed = true
  for (const kind of kinds) {
    if (kind !== 'sqlite' && kind !== 'redis') throw new TypeError(`no store is called ${kind}`)
    if (kind === 'redis' && !hasRedisServer()) {
      program.say('skipped', { store: kind, reason: 'redis-server is not installed' })
      continue
    }
    const count = Math.ceil(Number(program.option('count')) / kinds.length)
    hasPassed = (await killOn(program, kind, count)) && hasPassed
  }
  return hasPassed
})

async function killOn(program: Program, kind: StoreKind, count: number): Promise<boolean> {
  const { say, random } = program
  const host = await startKillableHost(kind)
  program.atEnd(() => host.stop())
  const provider = await openProvider()
  program.atEnd(() => provider.close())
  const world: World = {
    host,
    ledger: openLedger(),
    domain: DOMAIN,
    providerOrigin: provider.origin,
    random,
  }
  const { ledger } = world
  await host.admin('PUT', '/admin/account_types/demo-photos', {
    slug: 'demo-photos',
    grant_mode: 'authorization_code',
    trusted_network: true,
    ...provider.entry,
  })
  await onboard(world, DOMAIN, await createOwner(world, DOMAIN), SHARED_PASSPHRASE)
  await host.admin('POST', `/instances/${DOMAIN}/apps`, { app: 'drive' })
  await host.admin('POST', `/instances/${DOMAIN}/konnectors`, { slug: 'demo-photos' })

  const harms = { lost: 0, revived: 0, 'used twice': 0 }
  const refusals: string[] = []
  const startedAt = performance.now()
  let made = 0
  let unnoted = 0
  for (let kills = 1; kills <= count; kills += 1) {
    const before = ledger.acknowledged
    const target = kind === 'redis' && random() < 0.5 ? 'redis' : 'host'
    // Every story gets to its end before the first kill; later ones are cut short anywhere.
    if (kills === 1) await Promise.all(STORIES.map((story) => tell(story, world, refusals)))
    const goal = ledger.acknowledged + 5 + Math.floor(random() * 35)
    const lanes = Array.from({ length: LANES }, () => play(world, refusals))
    const deadline = performance.now() + PATIENCE_MS
    while (ledger.acknowledged < goal && refusals.length === 0) {
      if (performance.now() > deadline) throw new Error('the stories do not go on')
      await pause(1)
    }
    await (target === 'redis' ? host.redis?.kill() : host.kill())
    ledger.stop()
    await Promise.all(lanes)
    const downAt = performance.now()
    await comeBack(world, target)
    const downMs = Math.round(performance.now() - downAt)
    const harmed = await ledger.lookUp()
    for (const { kind: change, harm } of harmed) {
      harms[harm] += 1
      say('change.harmed', { kill: kills, change, harm })
    }
    for (const fault of await checkRecord(world)) {
      unnoted += 1
      say('record.wrong', { kill: kills, fault })
    }
    say('killed', {
      kill: kills,
      store: kind,
      target,
      looked: ledger.acknowledged - before,
      downMs,
    })
    made = kills
    if (refusals.length > 0) break
    if (kills % TIDY_EVERY === 0) await removeClients(world)
  }
  for (const refusal of refusals.slice(0, 10)) say('change.refused', { refusal })
  // Without Redis the host has reason to complain.
  const errors = kind === 'redis' ? [] : host.errors
  for (const error of errors.slice(0, 10)) say('host.error', { ...error })
  const isUnharmed = unnoted === 0 && Object.values(harms).every((each) => each === 0)
  const hasPassed = refusals.length === 0 && isUnharmed && errors.length === 0
  say('store.done', {
    store: kind,
    kills: made,
    seconds: Math.round((performance.now() - startedAt) / 1000),
    acknowledged: ledger.acknowledged,
    unanswered: ledger.unanswered,
    kinds: Object.fromEntries(ledger.kinds),
    ...harms,
    'wrong in the record': unnoted,
    hasPassed,
  })
  await host.stop()
  return hasPassed
}

/** Between two rounds, when nothing that was acknowledged is still to be looked up. */
async function removeClients({ host, domain }: World): Promise<void> {
  const path = `/instances/${domain}/clients`
  for (;;) {
    const { clients } = (await host.admin('GET', path)) as ClientPage
    if (clients.length === 0) return
    for (const { client_id } of clients) await host.admin('DELETE', `${path}/${client_id}`)
  }
}

/** As the admin route answers. */
interface ClientPage {
  readonly clients: readonly { readonly client_id: string }[]
}

/** Plays one story after the other until the server is killed. */
async function play(world: World, refusals: string[]): Promise<void> {
  for (;;) {
    const story = STORIES[Math.floor(world.random() * STORIES.length)] ?? clientStory
    if (!(await tell(story, world, refusals))) return
  }
}

/** @returns whether it got to its end */
async function tell(story: Story, world: World, refusals: string[]): Promise<boolean> {
  try {
    await story(world)
    return true
  } catch (error) {
    if (!(error instanceof Unanswered)) {
      refusals.push(`${story.name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    return false
  }
}

/** Starts again what was killed. @throws Error when the host does not serve within 10 s */
async function comeBack(world: World, target: 'host' | 'redis'): Promise<void> {
  const { host, domain } = world
  if (target === 'host') return host.start()
  await host.redis?.restart()
  const deadline = performance.now() + BACK_MS
  for (;;) {
    try {
      await appOf(world, domain, 'settings')
      return
    } catch (error) {
      if (!(error instanceof Unanswered) || performance.now() > deadline) throw error
      await pause(20)
    }
  }
}
