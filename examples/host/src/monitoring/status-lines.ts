import { statfs } from 'node:fs/promises'
import type { Notify } from '@svc/notify'
import type { KeyStatusReader } from '@svc/platform'
import type { Store } from '@svc/store'
import type { Config } from '../config/config.ts'
import { differentOptions } from '../processes/config-digest.ts'
import { listProcesses, type ProcessRecord } from '../processes/process-record.ts'
import { keysLine } from './key-line.ts'
import type { SettableFigures } from './settable-figures.ts'
import { StatusBoard, type StatusLine } from './status.ts'

export interface StatusParts {
  readonly config: Config
  readonly store: Store
  readonly keyStatus: Pick<KeyStatusReader, 'last'>
  readonly settable: SettableFigures
  readonly notify: Pick<Notify, 'figures'>
}

/** The lines that the host has by itself. Backups, quotas and the like add theirs. */
export function createStatus(parts: StatusParts): StatusBoard {
  const { config, store, keyStatus, settable, notify } = parts
  const board = new StatusBoard()
  board.add('processes', async () => processesLine(await listProcesses(store)))
  board.add('store', async () => {
    await store.health()
    const engine = config.store === 'sqlite' ? 'embedded (SQLite)' : 'Redis'
    return { state: 'ok', text: `${engine}, answers and can be written to.`, facts: { engine } }
  })
  board.add('keys', () => keysLine(keyStatus, settable))
  board.add('backup', async () => ({ state: 'warning', text: 'No verified backup is known.' }))
  if (config.store === 'sqlite') board.add('disk', () => diskLine(config.dataDir))
  board.add('mails', async () => mailsLine(config, notify.figures()))
  return board
}

function processesLine(processes: readonly ProcessRecord[]): StatusLine {
  const facts = {
    processes: processes.map(({ id, version, hostname, port, state, startedAt, kids }) => {
      return { id, version, hostname, port, state, started_at: startedAt, kids }
    }),
  }
  const [first, ...others] = processes
  if (first === undefined) {
    return { state: 'fault', text: 'None has written its record in the last minute.', facts }
  }
  const draining = processes.filter(({ state }) => state === 'draining').length
  const faults = [
    ...(others.some(({ version }) => version !== first.version) ? ['their versions differ'] : []),
    ...(others.some(({ kids }) => kids.join() !== first.kids.join()) ? ['their keys differ'] : []),
    ...differences(first, others).map((name) => `${name} differs`),
  ]
  const count = processes.length === 1 ? '1 runs' : `${processes.length} run`
  const drains = draining === 0 ? '' : `, ${draining} of them about to stop`
  const versions = [...new Set(processes.map(({ version }) => version))].join(', ')
  const text = `${count}${drains} (version ${versions})`
  if (faults.length === 0) return { state: 'ok', text: `${text}.`, facts }
  return { state: 'warning', text: `${text}; ${faults.join(', ')}.`, facts }
}

function differences(first: ProcessRecord, others: readonly ProcessRecord[]): readonly string[] {
  const names = others.flatMap(({ options }) => differentOptions(first.options, options))
  return [...new Set(names)]
}

/** As much is to be free at least. Bytes, and a share of the whole. @see operation.md 8.4 */
const LEAST_BYTES = 256 * 1024 ** 2
const LEAST_SHARE = 0.02

async function diskLine(folder: string): Promise<StatusLine> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const free = bavail * bsize
  const total = blocks * bsize
  const isLow = free < Math.max(LEAST_BYTES, total * LEAST_SHARE)
  const gib = (free / 1024 ** 3).toFixed(1)
  const text = `${gib} GiB free where the store is.`
  return { state: isLow ? 'warning' : 'ok', text, facts: { free, total } }
}

function mailsLine(config: Config, { attempts }: ReturnType<Notify['figures']>): StatusLine {
  if (config.smtpUrl === undefined) {
    return config.isProduction
      ? { state: 'warning', text: 'Off: SVC_SMTP_URL is not set, so owners get no mail.' }
      : { state: 'ok', text: 'Kept in the development mailbox (svc mails).' }
  }
  const mail = attempts.mail ?? {}
  const failed = (mail.permanent ?? 0) + (mail.transient ?? 0) + (mail.config ?? 0)
  const tries = failed + (mail.sent ?? 0)
  const text = `${failed} of ${tries} tries of this process to mail a notification failed.`
  return { state: failed === 0 ? 'ok' : 'warning', text, facts: { attempts: mail } }
}
