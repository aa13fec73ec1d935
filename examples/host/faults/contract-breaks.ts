import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Operator } from '@svc/contract'
import {
  CONTRACT_ADMIN_TOKEN,
  CONTRACT_MAILBOX,
  contractOperator,
  spawnContract,
} from '../test/support/contract-run.ts'
import { type HostProcess, spawnHost } from '../test/support/host-process.ts'
import { runProgram } from './support/program.ts'

// The self-test of the contract against the host: a proxy breaks one thing at a time, each time on an instance of its own.
//   node --conditions=source examples/host/faults/contract-breaks.ts [--groups REV,BEA] [--matrix file]
// Passes when every check notices something, and something is noticed whatever is broken.

await runProgram('contract-breaks', { groups: '', matrix: '' }, async (program) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-breaks-'))
  program.atEnd(() => rm(folder, { recursive: true, force: true }))
  const host = await spawnHost({ env: { SVC_ADMIN_TOKEN: CONTRACT_ADMIN_TOKEN } })
  program.atEnd(() => host.stop().then(() => {}))
  await writeFile(path.join(folder, 'operator.json'), JSON.stringify(quickOperator(host)))
  const groups = program
    .option('groups')
    .split(',')
    .filter((one) => one !== '')
  const child = spawnContract(host, folder, [
    'self-test',
    'http://localhost',
    '--operator',
    'operator.json',
    '--mailbox',
    CONTRACT_MAILBOX,
    '--matrix',
    'matrix.tsv',
    '--seed',
    String((program.seed % 1000) + 1),
    ...groups.flatMap((group) => ['--group', group]),
  ])
  program.atEnd(() => void child.kill())
  const said = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const [family, name, at, group, noticed] = line.split('\t')
      program.say('broken', { family, name, at, group, noticed })
    }
  })()
  const faults: string[] = []
  const told = (async () => {
    for await (const line of createInterface({ input: child.stderr })) faults.push(line)
  })()
  const [[code]] = await Promise.all([once(child, 'exit') as Promise<[number | null]>, said, told])
  const matrix = path.join(folder, 'matrix.tsv')
  const broken = readFileSync(matrix, 'utf8').split('\n').length - 1
  if (program.option('matrix') !== '') await copyFile(matrix, program.option('matrix'))
  program.say('ended', { code, broken, faults: faults.slice(0, 20) })
  return code === 0
})

/** Instances are made and removed without the start of a program of the host for each. */
function quickOperator(host: HostProcess): Operator {
  const ask = (method: string, route: string, ...more: readonly string[]): readonly string[] => [
    'curl',
    '--silent',
    '--show-error',
    '--fail-with-body',
    '--request',
    method,
    '--header',
    `Authorization: Bearer ${CONTRACT_ADMIN_TOKEN}`,
    '--header',
    'Content-Type: application/json',
    ...more,
    `http://127.0.0.1:${host.adminPort}${route}`,
  ]
  return {
    ...contractOperator(host),
    create: ask('POST', '/instances', '--data', '{"domain":"{domain}","email":"{email}"}'),
    remove: ask('DELETE', '/instances/{domain}'),
  }
}
