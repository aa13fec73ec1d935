import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Operator } from '@svc/contract'
import type { HostProcess } from '../../test/support/host-process.ts'

const PROGRAM = path.resolve(import.meta.dirname, '../../../../packages/contract/src/cli.ts')
const SVC = path.resolve(import.meta.dirname, '../../src/cli.ts')

const PASSPHRASE = 'a passphrase for the contract'

/** What the program ended with, and what it printed. */
export interface Ended {
  readonly code: number | null
  readonly said: string
}

/** What the contract is run with, in a folder of its own. */
export interface Stage {
  readonly folder: string
  readonly host: HostProcess
  readonly adminToken: string
  /** Program instead of that of this clone, such as the one that is packed. */
  readonly program: string
}

export async function createOwner({ host }: Stage, domain: string): Promise<void> {
  const made = await host.svc(
    'instance',
    'create',
    domain,
    '--email',
    'owner@example.org',
    '--passphrase',
    PASSPHRASE,
  )
  if (made.code !== 0) throw new Error(made.stderr)
}

/** Writes the passphrase and the commands of the operator down. */
export async function writeFiles(stage: Stage): Promise<void> {
  const { folder, host, adminToken } = stage
  const svc = (...words: readonly string[]): readonly string[] => [
    '/usr/bin/env',
    '-i',
    `SVC_ADMIN_URL=http://127.0.0.1:${host.adminPort}`,
    `SVC_DATA_DIR=${host.dataDir}`,
    `SVC_ADMIN_TOKEN=${adminToken}`,
    process.execPath,
    '--conditions=source',
    SVC,
    ...words,
  ]
  const operator: Operator = {
    domain: 'contract-{run}.localhost',
    create: svc('instance', 'create', '{domain}', '--email', '{email}'),
    remove: svc('instance', 'remove', '{domain}'),
    accountType: svc('account-type', 'put', '{name}', '{file}'),
    removeAccountType: svc('account-type', 'remove', '{name}'),
    provider: { listen: '127.0.0.1:0', entry: { trusted_network: true } },
  }
  await writeFile(path.join(folder, 'operator.json'), JSON.stringify(operator))
  await writeFile(path.join(folder, 'passphrase'), PASSPHRASE)
}

/** Runs the program until it ends. */
export async function runContract(
  { folder, host, program }: Stage,
  words: readonly string[],
): Promise<Ended> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=source',
      program === '' ? PROGRAM : program,
      ...words,
      '--connect-to',
      `:80:127.0.0.1:${host.port}`,
    ],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null] // the code, or null after a signal
  return { code, said: said.trim() }
}

/** A run of everything, with what it has beside the server. */
export function wholeRun(domain: string, words: readonly string[] = []): readonly string[] {
  return [
    ...safeRun(domain, words),
    '--operator',
    'operator.json',
    '--mailbox',
    'http://{host}/dev/mails',
  ]
}

/** A run that changes nothing that it did not make. */
export function safeRun(domain: string, words: readonly string[] = []): readonly string[] {
  return [`http://${domain}`, '--owner-passphrase-file', 'passphrase', ...words]
}
