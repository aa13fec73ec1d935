import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { createFullDisk, type DiskState } from '../../src/quota/full-disk.ts'
import { type Space, watchSpace } from '../../src/quota/low-space.ts'
import { createReserve, RESERVE_BYTES } from '../../src/quota/reserve.ts'
import { createStoreSpace } from '../../src/quota/store-space.ts'
import { testFolder } from '../support/for-test.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

type Line = readonly [event: string, fields: unknown]

function recordingLog() {
  const lines: Line[] = []
  const note = (event: string, fields?: unknown): void => void lines.push([event, fields])
  return { lines, log: { info: note, warn: note, error: note } }
}

describe('low space (operation.md 8.4)', () => {
  const plenty: Space = { bytes: 100 * GIB, freeBytes: 50 * GIB, inodes: 1000, freeInodes: 900 }
  const cases: readonly (readonly [string, Partial<Space>, boolean])[] = [
    ['with room', {}, false],
    ['below 2 %', { freeBytes: 1.9 * GIB }, true],
    ['below 256 MiB of a small one', { bytes: 8 * GIB, freeBytes: 255 * MIB }, true],
    ['above 256 MiB of a small one', { bytes: 8 * GIB, freeBytes: 257 * MIB }, false],
    ['below a tenth of a tiny one', { bytes: 256 * MIB, freeBytes: 25 * MIB }, true],
    ['above a tenth of a tiny one', { bytes: 256 * MIB, freeBytes: 27 * MIB }, false],
    ['below 5 % of inodes', { freeInodes: 49 }, true],
    ['without a number of inodes', { inodes: 0, freeInodes: 0 }, false],
  ]
  for (const [name, change, expected] of cases) {
    it(`is ${expected ? 'on' : 'off'} ${name}`, async () => {
      const { log } = recordingLog()
      const watch = watchSpace(async () => ({ ...plenty, ...change }), log)
      await watch.look()
      watch.stop()
      expect(watch.isLow()).to.equal(expected)
    })
  }

  it('is left at twice the bound, and each change is logged once', async () => {
    let free = 1 * GIB
    const { lines, log } = recordingLog()
    const watch = watchSpace(async () => ({ ...plenty, freeBytes: free }), log)
    const states: boolean[] = []
    for (free of [1 * GIB, 1 * GIB, 3 * GIB, 5 * GIB, 3 * GIB]) {
      await watch.look()
      states.push(watch.isLow())
    }
    watch.stop()
    expect(states).to.deep.equal([true, true, true, false, false])
    expect(lines.map(([event]) => event)).to.deep.equal(['store.low_space', 'store.space_back'])
  })

  it('stays as it is while the file system does not answer', async () => {
    const { lines, log } = recordingLog()
    const watch = watchSpace(async () => {
      throw new Error('EIO')
    }, log)
    await watch.look()
    watch.stop()
    expect(watch.isLow()).to.equal(false)
    expect(lines.map(([event]) => event)).to.deep.equal(['store.space_unknown'])
  })
})

describe('a store that cannot write (operation.md 8.5, 8.6)', () => {
  let folder: string
  beforeEach(() => {
    folder = testFolder()
  })

  async function start(state: DiskState) {
    const { lines, log } = recordingLog()
    const reserve = createReserve(folder, 3 * MIB)
    await reserve.make()
    const ended: true[] = []
    const full = createFullDisk({
      reserve,
      log,
      probe: () => state,
      end: () => void ended.push(true),
    })
    return { ended, full, lines, reserve }
  }

  it('keeps a reserve in a file of its owner alone', async () => {
    await start('usable')
    const { size, mode } = statSync(path.join(folder, 'reserve'))
    expect(size).to.equal(3 * MIB)
    expect(mode & 0o777).to.equal(0o600)
  })

  it('makes one reserve however many ask for it, and leaves nothing else behind', async () => {
    const reserve = createReserve(folder, 3 * MIB)
    const asked = [reserve.make(), reserve.make(), reserve.make()]
    expect(reserve.isThere()).to.equal(false)
    await Promise.all(asked)
    expect(readdirSync(folder)).to.deep.equal(['reserve'])
  })

  it('leaves nothing of a reserve that cannot be made, and says so', async () => {
    const { lines, log } = recordingLog()
    // A folder stands where the file would.
    mkdirSync(path.join(folder, 'reserve.new', 'inside'), { recursive: true })
    const full = createFullDisk({
      reserve: createReserve(folder, 3 * MIB),
      log,
      probe: () => 'usable',
      end: () => {},
    })
    await full.recover(true)
    expect(full.isFull()).to.equal(true)
    expect(lines.map(([name]) => name)).to.deep.equal(['store.no_reserve'])
  })

  it('is not low before the first reserve was tried, and stops when it is made', async () => {
    const { log } = recordingLog()
    const space = createStoreSpace(folder, log, () => {})
    await space.start()
    expect(space.isLow()).to.equal(false)
    await space.stop()
    expect(statSync(path.join(folder, 'reserve')).size).to.equal(RESERVE_BYTES)
    rmSync(path.join(folder, 'reserve'))
    expect(space.isLow()).to.equal(true)
  })

  it('is low without a reserve where the file system does not answer', async () => {
    const { lines, log } = recordingLog()
    const space = createStoreSpace(path.join(folder, 'gone'), log, () => {})
    await space.start()
    await space.stop()
    expect(space.isLow()).to.equal(true)
    expect(lines.map(([name]) => name)).to.deep.equal(['store.space_unknown'])
  })

  for (const [state, event] of [
    ['ENOSPC', 'store.full'],
    ['EDQUOT', 'store.quota_exceeded'],
  ] as const) {
    it(`gives the reserve away once at ${state}, and makes it anew`, async () => {
      const { full, lines } = await start(state)
      const failure = { reason: state === 'ENOSPC' ? 'full' : 'io', cause: new Error('x') } as const
      expect(full.onWriteFailure(failure)).to.equal(true)
      expect(full.isFull()).to.equal(true)
      expect(full.onWriteFailure(failure)).to.equal(false)
      await full.recover(false)
      expect(full.isFull()).to.equal(true)
      await full.recover(true)
      expect(full.isFull()).to.equal(false)
      expect(existsSync(path.join(folder, 'reserve'))).to.equal(true)
      expect(lines.map(([name]) => name)).to.deep.equal([event, 'store.writable'])
    })
  }

  for (const [state, event] of [
    ['EROFS', 'store.read_only'],
    ['EIO', 'store.io_error'],
    ['unknown', 'store.write_failed'],
  ] as const) {
    it(`tells ${state} apart, and keeps the reserve`, async () => {
      const { ended, full, lines } = await start(state)
      expect(full.onWriteFailure({ reason: 'io', cause: new Error('x') })).to.equal(false)
      expect(full.isFull()).to.equal(false)
      expect(lines.map(([name]) => name)).to.deep.equal([event])
      expect(ended).to.deep.equal([])
    })
  }

  it('ends the process after a sync that failed', async () => {
    const { ended, full, lines } = await start('usable')
    expect(full.onWriteFailure({ reason: 'sync', cause: new Error('x') })).to.equal(false)
    expect(lines.map(([name]) => name)).to.deep.equal(['store.io_error'])
    expect(ended).to.deep.equal([true])
  })
})
