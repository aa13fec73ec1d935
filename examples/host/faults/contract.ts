import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { randomBytes } from 'node:crypto'
import { startRedisServer } from '@svc/store/testing'
import { spawnHost } from '../test/support/host-process.ts'
import {
  createOwner,
  safeRun,
  type Stage,
  runContract,
  wholeRun,
  writeFiles,
} from './contract/stage.ts'
import { type Program, runProgram } from './support/program.ts'

// The contract as a program of its own, against the host: what it finds, and how much memory it takes.
//   node --conditions=source examples/host/faults/contract.ts [--store sqlite,redis] [--seconds 60] [--program packages/contract/dist/cli.js]
// Passes when a safe run and a whole run pass within `--seconds`, judge enough, and each takes at most 150 MiB.

const MOST_MIB = 150
/** Fewest checks that are judged. */
const FEWEST = { safe: 250, whole: 332 } as const

await runProgram(
  'contract',
  { store: 'sqlite,redis', program: '', seconds: '60' },
  async (program) => {
    let hasPassed = true
    for (const store of program.option('store').split(',')) {
      hasPassed = (await runOn(store, program)) && hasPassed
    }
    return hasPassed
  },
)

async function runOn(store: string, program: Program): Promise<boolean> {
  const adminToken = randomBytes(24).toString('hex')
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-contract-'))
  program.atEnd(() => rm(folder, { recursive: true, force: true }))
  const redis = store === 'redis' ? await startRedisServer() : undefined
  program.atEnd(() => redis?.stop())
  const host = await spawnHost({
    env: {
      SVC_ADMIN_TOKEN: adminToken,
      SVC_KEYS: `a:${randomBytes(32).toString('base64')}`,
      ...(redis !== undefined && { SVC_STORE: redis.url }),
    },
  })
  program.atEnd(async () => {
    await host.stop()
  })
  const given = program.option('program')
  const stage: Stage = { folder, host, adminToken, program: given && path.resolve(given) }
  await writeFiles(stage)
  let hasPassed = true
  for (const kind of ['safe', 'whole'] as const) {
    const domain = `${kind}.localhost`
    await createOwner(stage, domain)
    const words = (kind === 'safe' ? safeRun : wholeRun)(domain, [
      '--time',
      program.option('seconds'),
    ])
    const { code, said } = await runContract(stage, words)
    const [, passed = '0'] = /(\d+) passed/.exec(said) ?? []
    const [, mib = 'Infinity'] = /(\d+) MiB of memory/.exec(said) ?? []
    program.say('contract.ended', { store, kind, code, said })
    hasPassed &&= code === 0 && Number(passed) >= FEWEST[kind] && Number(mib) <= MOST_MIB
  }
  return hasPassed
}
