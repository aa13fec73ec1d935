import { appendFileSync, existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type HostProcess, spawnHost } from '../../test/support/host-process.ts'
import { connectOwner, type DiskOwner } from './disk-owner.ts'
import { mountImage, mountMemory, type SmallDisk } from './file-systems.ts'

const MIB = 1024 * 1024
const DISK = 128 * MIB
/** The host looks every 10 s. */
const BACK_MS = 12_000

/** One round: throws what it found wrong. @param random - whole numbers below the one given */
export type Round = (random: (below: number) => number) => Promise<void>

/** The rounds by the name of their fault. */
export const ROUNDS: Readonly<Record<string, Round>> = { full, 'read-only': readOnly, torn }

async function onDisk(
  disk: SmallDisk,
  run: (start: () => Promise<HostProcess>) => Promise<void>,
): Promise<void> {
  const hosts: HostProcess[] = []
  try {
    await run(async () => {
      const env = { SVC_DEMO_DOMAIN: 'alice.localhost' }
      const host = await spawnHost({ dataDir: disk.folder, env })
      hosts.push(host)
      return host
    })
  } finally {
    for (const host of hosts) await host.stop('SIGKILL')
    disk.remove()
  }
}

/** operation.md 8.4 and 8.5. */
async function full(random: (below: number) => number): Promise<void> {
  const disk = mountMemory(DISK)
  await onDisk(disk, async (start) => {
    const host = await start()
    const owner = await connectOwner(host)
    const kept = await writeSome(owner, 10 + random(10))
    const login = await owner.openLogin()
    const later = await owner.openLogin()
    disk.fill(random(64) * 1024)

    // Nothing half: what was taken is there, what was refused is whole or absent.
    const sizes = Array.from({ length: 60 }, () => 1024 * (1 + random(40)))
    for (const [n, bytes] of sizes.entries()) {
      const { status } = await owner.put(`late${n}`, bytes)
      expect(status === 201 || status === 503, `a late document is answered ${status}`)
      if (status === 201) kept.set(`late${n}`, bytes)
      const length = await owner.read(`late${n}`)
      expect(length === bytes || (status === 503 && length === undefined), 'a half document')
    }
    expect(has(host, 'store.full'), 'store.full is not logged')
    expect(!existsSync(path.join(disk.folder, 'reserve')), 'the reserve is still there')
    const refused = await owner.put('grown', 10)
    expect(refused.status === 503, `growth is answered ${refused.status}`)
    expect(refused.code === 'storage_full', `growth is refused with ${refused.code}`)

    // What must always work.
    expect((await owner.remove('d0')) === 204, 'a document cannot be deleted')
    kept.delete('d0')
    expect((await owner.logOut(login)) === 204, 'a session cannot be ended')

    // Even the reserve is gone: reads go on, the rest is refused and not lost.
    disk.fill(0)
    for (let n = 0; n < 40 && (await owner.ready()) === 200; n++) await owner.remove(`d${n + 100}`)
    if ((await owner.ready()) === 503) {
      expect((await owner.read('d1')) === kept.get('d1'), 'reads stopped')
      const status = await owner.logOut(later)
      expect(status === 503 || status === 204, `a logout without room is answered ${status}`)
    }

    disk.empty()
    await within(BACK_MS, async () => (await owner.ready()) === 200, 'ready again')
    await within(BACK_MS, async () => (await owner.put('after', 10)).status < 300, 'grows again')
    kept.set('after', 10)
    await within(
      BACK_MS,
      async () => existsSync(path.join(disk.folder, 'reserve')),
      'a new reserve',
    )

    await host.stop('SIGKILL')
    const again = owner.at(await start())
    await lookUp(again, kept)
    expect((await again.read('d0')) === undefined, 'a deleted document is alive')
    expect(!(await again.isLoggedIn(login)), 'an ended session is alive')
  })
}

/** operation.md 8.6. */
async function readOnly(random: (below: number) => number): Promise<void> {
  const disk = mountImage(DISK)
  await onDisk(disk, async (start) => {
    const host = await start()
    const owner = await connectOwner(host)
    const kept = await writeSome(owner, 5 + random(5))
    disk.makeReadOnly()
    const { status } = await owner.put('late', 10)
    expect(status === 503, `a write is answered ${status}`)
    expect((await owner.remove('d0')) === 503, 'a deletion is acknowledged')
    expect((await owner.ready()) === 503, 'it says that it is ready')
    await lookUp(owner, kept)
    expect(has(host, 'store.read_only'), 'store.read_only is not logged')
    expect(!has(host, 'store.full'), 'it says that the disk is full')
  })
}

/** A write that the machine did not finish: acknowledged ones stay. */
async function torn(random: (below: number) => number): Promise<void> {
  const disk = mountMemory(DISK)
  await onDisk(disk, async (start) => {
    const host = await start()
    const owner = await connectOwner(host)
    const kept = await writeSome(owner, 5 + random(10))
    await host.stop('SIGKILL')
    const tail = Buffer.from(Array.from({ length: 1 + random(9000) }, () => random(256)))
    appendFileSync(path.join(disk.folder, 'store.db-wal'), tail)
    const again = owner.at(await start())
    await lookUp(again, kept)
    expect((await again.put('after', 10)).status === 201, 'it does not write any more')
  })
}

async function writeSome(owner: DiskOwner, count: number): Promise<Map<string, number>> {
  const kept = new Map<string, number>()
  for (let n = 0; n < count; n++) {
    const { status } = await owner.put(`d${n}`, 100 * (n + 1))
    expect(status === 201, `a document is answered ${status}`)
    kept.set(`d${n}`, 100 * (n + 1))
  }
  return kept
}

/** Every acknowledged one, not a sample. */
async function lookUp(owner: DiskOwner, kept: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, length] of kept) {
    expect((await owner.read(id)) === length, `${id} was acknowledged and is lost`)
  }
}

function has({ log }: HostProcess, event: string): boolean {
  return log.some((line) => line.event === event)
}

async function within(ms: number, look: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`)
    await pause(100)
  }
}

function expect(isTrue: boolean, fault: string): asserts isTrue {
  if (!isTrue) throw new Error(fault)
}
