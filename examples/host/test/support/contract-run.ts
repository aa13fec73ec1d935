import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import type { Operator } from '@svc/contract'
import type { HostProcess } from './host-process.ts'

const CONTRACT = path.resolve(import.meta.dirname, '../../../../packages/contract')
/** What Node is started with for the program: its source. */
const SOURCE: readonly string[] = ['--conditions=source', path.join(CONTRACT, 'src/cli.ts')]
/** The same for what its users have, once it was built: without Node's own reader of TypeScript, which takes memory. */
export const BUILT_CONTRACT: readonly string[] = [path.join(CONTRACT, 'dist/cli.js')]
const SVC = path.resolve(import.meta.dirname, '../../src/cli.ts')
export const CONTRACT_PASSPHRASE = 'a passphrase for the contract'
/** Of the host's operator, for a host that the contract makes instances on. */
export const CONTRACT_ADMIN_TOKEN: string = 't'.repeat(43)
export const CONTRACT_MAILBOX = 'http://{host}/dev/mails'

/** Makes an instance whose owner the contract knows. @throws Error with what the command said */
export async function createContractOwner(host: HostProcess, domain: string): Promise<void> {
  const mail = ['--email', 'owner@example.org']
  const passphrase = ['--passphrase', CONTRACT_PASSPHRASE]
  const made = await host.svc('instance', 'create', domain, ...mail, ...passphrase)
  if (made.code !== 0) throw new Error(made.stderr)
}

/** Commands of a host by which a run makes instances: {@link CONTRACT_ADMIN_TOKEN} is its admin token. */
export function contractOperator(host: HostProcess): Operator {
  // Nothing of the environment of tests gets into the command line.
  const svc = (...words: readonly string[]): readonly string[] => [
    '/usr/bin/env',
    '-i',
    `SVC_ADMIN_URL=http://127.0.0.1:${host.adminPort}`,
    `SVC_DATA_DIR=${host.dataDir}`,
    `SVC_ADMIN_TOKEN=${CONTRACT_ADMIN_TOKEN}`,
    process.execPath,
    '--conditions=source',
    SVC,
    ...words,
  ]
  return {
    domain: 'contract-{run}.localhost',
    create: svc('instance', 'create', '{domain}', '--email', '{email}'),
    remove: svc('instance', 'remove', '{domain}'),
    accountType: svc('account-type', 'put', '{name}', '{file}'),
    removeAccountType: svc('account-type', 'remove', '{name}'),
    provider: { listen: '127.0.0.1:0', entry: { trusted_network: true } },
  }
}

/** Starts the contract's program beside a host. Its journal is written into `folder`. */
export function spawnContract(
  host: Pick<HostProcess, 'port'>,
  folder: string,
  words: readonly string[],
  program: readonly string[] = SOURCE,
): ChildProcessByStdio<null, Readable, Readable> {
  const to = ['--connect-to', `:80:127.0.0.1:${host.port}`]
  return spawn(process.execPath, [...program, ...words, ...to], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** The journal that a run has left in a folder; undefined when it left none. */
export function journalIn(folder: string): string | undefined {
  const [journal] = globSync('contract-*.jsonl', { cwd: folder })
  return journal === undefined ? undefined : path.join(folder, journal)
}
