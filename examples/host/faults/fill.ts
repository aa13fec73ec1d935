import { statfsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { browserClient } from '@svc/testkit'
import { type HostProcess, spawnHost } from '../test/support/host-process.ts'
import { connectOwner, type DiskOwner } from './disk/disk-owner.ts'
import { mountMemory, reasonAgainst } from './disk/file-systems.ts'
import { NO_LIMITS } from './support/killable-host.ts'
import { type Program, runProgram } from './support/program.ts'

// A client of an owner, another owner and strangers write into one instance as fast as they can, on a small file system.
//   node --conditions=source examples/host/faults/fill.ts [--minutes 10] [--quota 128MiB] [--seed n]
// Passes when the owner logs in, logs out and deletes all the while and is told by mail, the instance of somebody else is
// as it was and as quick to change, nothing answers but what it should, and the file system never gets full.
// @see operation.md 8

const MIB = 1024 * 1024
const DISK = 256 * MIB
const OWNER = 'alice.localhost'
const STRANGER = 'mallory.localhost'
const NEIGHBOUR = 'bob.localhost'
const DOCUMENT = 60_000
/** Of the hostile client at a time. */
const AT_ONCE = 8
const ROUND_MS = 500

await runProgram('fill', { minutes: '10', quota: '128MiB' }, async (program) => {
  const reason = reasonAgainst()
  if (reason !== undefined) {
    program.say('skipped', { reason })
    return true
  }
  const disk = mountMemory(DISK)
  program.atEnd(() => disk.remove())
  const env = { ...NO_LIMITS, SVC_DEMO_DOMAIN: OWNER, SVC_LIMITS_DISK: program.option('quota') }
  const host = await spawnHost({ dataDir: disk.folder, env })
  program.atEnd(async () => void (await host.stop('SIGKILL')))
  for (const domain of [STRANGER, NEIGHBOUR]) {
    const { code, stderr } = await host.svc(
      ...['instance', 'create', domain, '--passphrase', 'correct horse battery'],
    )
    if (code !== 0) throw new Error(stderr)
  }
  return fill(program, host, disk.folder)
})

async function fill(program: Program, host: HostProcess, folder: string): Promise<boolean> {
  const { say, option } = program
  const owner = await connectOwner(host)
  const stranger = await connectOwner(host, STRANGER)
  const neighbour = await connectOwner(host, NEIGHBOUR)
  const before = await usageOf(host, NEIGHBOUR)
  const end = performance.now() + Number(option('minutes')) * 60_000
  const isOver = (): boolean => performance.now() >= end
  const answers = new Map<string, number>()
  const faults: string[] = []
  const flood = Array.from({ length: AT_ONCE }, (_, lane) => write(owner, lane, answers, isOver))
  const others = [offerOn(stranger, answers, isOver), registerOn(host, answers, isOver)]
  let least = Number.POSITIVE_INFINITY
  let rounds = 0
  while (!isOver()) {
    faults.push(...(await live(owner, neighbour, rounds)))
    const { bavail, bsize } = statfsSync(folder)
    least = Math.min(least, bavail * bsize)
    rounds += 1
    await pause(ROUND_MS)
  }
  await Promise.all([...flood, ...others])
  const after = await usageOf(host, NEIGHBOUR)
  const { stdout: mails } = await host.svc('mails', OWNER)
  const isTold = mails.includes('is full')
  const errors = host.log.filter(({ level }) => level === 'error').map(({ event }) => event)
  say('filled', {
    answers: Object.fromEntries([...answers].toSorted()),
    rounds,
    least,
    isTold,
    before,
    after,
    errors,
  })
  for (const fault of new Set(faults)) say('fault', { fault })
  const isHeld = answers.has('client 413') && (answers.has('offer 413') || answers.has('offer 429'))
  const isApart = after === before
  return (
    isHeld && isTold && isApart && least > 0 && rounds > 0 && faults.length + errors.length === 0
  )
}

/** How often each answer came. */
type Answers = Map<string, number>

function note(answers: Answers, name: string): void {
  answers.set(name, (answers.get(name) ?? 0) + 1)
}

/** A client that was allowed to write, and never stops. */
async function write(
  owner: DiskOwner,
  lane: number,
  answers: Answers,
  isOver: () => boolean,
): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    const { status } = await owner.put(`${lane}-${n}`, DOCUMENT)
    note(answers, `client ${status}`)
  }
}

/** Another owner of the server, whose documents nobody asked for. */
async function offerOn(
  stranger: DiskOwner,
  answers: Answers,
  isOver: () => boolean,
): Promise<void> {
  await stranger.put('bait', DOCUMENT)
  while (!isOver()) {
    note(answers, `offer ${await stranger.offer('bait', OWNER)}`)
    await pause(20)
  }
}

/** Nobody knows who. */
async function registerOn(
  { port }: HostProcess,
  answers: Answers,
  isOver: () => boolean,
): Promise<void> {
  const browser = browserClient({ base: `http://${OWNER}`, port })
  for (let n = 0; !isOver(); n += 1) {
    const { status } = await browser.request('POST', '/auth/register', {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        client_name: `Bot ${n} ${'x'.repeat(80)}`,
        software_id: 'bot',
        redirect_uris: ['https://bot.example/'],
      }),
    })
    note(answers, `registration ${status}`)
    await pause(20)
  }
}

/** What an owner does on a bad day. @returns what did not work */
async function live(owner: DiskOwner, neighbour: DiskOwner, round: number): Promise<string[]> {
  const faults: string[] = []
  const login = await owner.openLogin()
  if (!(await owner.isLoggedIn(login))) faults.push('the owner is not logged in')
  const out = await owner.logOut(login)
  if (out !== 204) faults.push(`logging out: ${out}`)
  if (await owner.isLoggedIn(login)) faults.push('the owner is logged in still')
  const removed = await owner.remove(`0-${round}`)
  if (removed !== 204 && removed !== 404) faults.push(`deleting: ${removed}`)
  const { status } = await neighbour.put('note', 100)
  if (status !== 200 && status !== 201) faults.push(`the neighbour writes: ${status}`)
  const gone = await neighbour.remove('note')
  if (gone !== 204) faults.push(`the neighbour deletes: ${gone}`)
  const ready = await owner.ready()
  if (ready !== 200) faults.push(`ready: ${ready}`)
  return faults
}

async function usageOf(host: HostProcess, domain: string): Promise<number> {
  const { code, stdout, stderr } = await host.svc('instance', 'usage', domain, '--json')
  if (code !== 0) throw new Error(stderr)
  return (JSON.parse(stdout) as { readonly used: number }).used // as the command prints it
}
