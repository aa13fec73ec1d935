import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { describeError } from '@svc/store'
import { reasonAgainst } from './disk/file-systems.ts'
import { ROUNDS } from './disk/rounds.ts'

// `node --conditions=source faults/disk.ts [--seed=n] [--rounds=50] [--replay=fault]`: a full disk, a read-only one, a
// torn write-ahead log, on file systems of its own. JSON lines; the last one says `passed` or `failed`.
// @see operation.md 8.4 to 8.6, 9
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string', default: '50' },
    replay: { type: 'string' },
  },
})
const seed = Number(values.seed ?? randomInt(2 ** 31))
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** The same numbers for the same seed: mulberry32. */
function numbers(start: number): (below: number) => number {
  let state = start >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

async function runAll(): Promise<number> {
  let failed = 0
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [fault, run] of Object.entries(ROUNDS)) {
      if (values.replay !== undefined && values.replay !== fault) continue
      const started = performance.now()
      try {
        await run(numbers(seed + round))
        say({ fault, round, ms: Math.round(performance.now() - started), result: 'passed' })
      } catch (error) {
        failed += 1
        say({ fault, round, seed: seed + round, result: 'failed', cause: describeError(error) })
      }
    }
  }
  return failed
}

say({ program: 'disk', seed })
const reason = reasonAgainst()
if (reason === undefined) {
  say({ fault: 'EDQUOT', result: 'skipped', reason: 'quotas of a file system need its tools' })
  const failed = await runAll()
  say({ result: failed === 0 ? 'passed' : 'failed', failed })
  process.exitCode = failed === 0 ? 0 : 1
} else {
  say({ result: 'passed', skipped: reason })
}
