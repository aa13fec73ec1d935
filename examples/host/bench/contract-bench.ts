import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import {
  BUILT_CONTRACT,
  CONTRACT_ADMIN_TOKEN,
  CONTRACT_MAILBOX,
  CONTRACT_PASSPHRASE,
  contractOperator,
  createContractOwner,
  spawnContract,
} from '../test/support/contract-run.ts'
import { type HostProcess, spawnHost } from '../test/support/host-process.ts'
import type { Figure } from './figure.ts'
import { withStore } from './pair-bench.ts'

export interface ContractBenchOptions {
  readonly stores: readonly string[]
  readonly say: (line: string) => void
}

const MOST_S = 60
const MOST_MIB = 150
/** Fewest checks that pass: of a run that is safe for any owner, and of one with an instance of its own. */
const FEWEST = { safe: 250, whole: 332 } as const

/** What the contract's program finds, how long it takes and how much memory. */
export async function benchContract(options: ContractBenchOptions): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const name of options.stores) {
    await withStore(name, async (store) => {
      const env = {
        SVC_ADMIN_TOKEN: CONTRACT_ADMIN_TOKEN,
        SVC_KEYS: `a:${randomBytes(32).toString('base64')}`,
        ...(store.startsWith('redis') && { SVC_STORE: store }),
      }
      const host = await spawnHost({ env })
      try {
        for (const kind of ['safe', 'whole'] as const) {
          figures.push(await measure(host, kind, { name, say: options.say }))
        }
      } finally {
        await host.stop()
      }
    })
  }
  return figures
}

async function measure(
  host: HostProcess,
  kind: 'safe' | 'whole',
  { name, say }: { readonly name: string; readonly say: (line: string) => void },
): Promise<Figure> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  try {
    const domain = `${kind}.localhost`
    await createContractOwner(host, domain)
    await writeFile(path.join(folder, 'passphrase'), CONTRACT_PASSPHRASE)
    await writeFile(path.join(folder, 'operator.json'), JSON.stringify(contractOperator(host)))
    const beside = ['--operator', 'operator.json', '--mailbox', CONTRACT_MAILBOX]
    const words = [
      `http://${domain}`,
      '--owner-passphrase-file',
      'passphrase',
      '--time',
      '300',
      ...(kind === 'whole' ? beside : []),
    ]
    const child = spawnContract(host, folder, words, BUILT_CONTRACT)
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    say(`contract on ${name}, ${kind}: ${said.trim()}`)
    const passed = numberIn(said, /(\d+) passed/)
    const seconds = numberIn(said, /in ([\d.]+) s/)
    const mib = numberIn(said, /(\d+) MiB of memory/)
    return {
      name: `contract on ${name}, ${kind} run`,
      value: `${passed} passed, ${seconds} s, ${mib} MiB`,
      target: `≥ ${FEWEST[kind]}, ≤ ${MOST_S} s, ≤ ${MOST_MIB} MiB`,
      isMet: code === 0 && passed >= FEWEST[kind] && seconds <= MOST_S && mib <= MOST_MIB,
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function numberIn(said: string, pattern: RegExp): number {
  return Number(pattern.exec(said)?.[1])
}
