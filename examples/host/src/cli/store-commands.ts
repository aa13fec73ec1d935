import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import type { Command } from 'commander'
import { systemClock } from '@svc/store'
import { copyStore, type CopyReport } from '../storage/copy-store.ts'
import {
  openSource,
  openTarget,
  parseAddress,
  type StoreAddress,
} from '../storage/store-address.ts'
import { KNOWN_VERSIONS } from '../storage/store-version.ts'
import { subcommand } from './command.ts'
import { type OutputOptions, print } from './output.ts'

/** Between two batches of an upgrade, so that owners are served meanwhile. Milliseconds. */
const PAUSE_MS = 20

/** Commands on whole stores. They open the stores themselves: a server may be stopped. */
export function addStoreCommands(program: Command): void {
  const store = program.command('store').description('Whole stores, without a server.')
  subcommand(
    store,
    'copy',
    'Moves a whole store to another engine. Repeat it after a stop of the server, or an interruption.',
  )
    .requiredOption('--from <store>', 'sqlite:<file> or redis://…; a server may use it')
    .requiredOption('--to <store>', 'sqlite:<file> or redis://…; empty')
    .action(async (options: OutputOptions & { from: string; to: string }) => {
      const from = parseAddress(options.from)
      const report = await copy(from, parseAddress(options.to))
      print(options, report, words(report, from))
    })
  subcommand(
    store,
    'upgrade',
    'Raises a store on Redis to the version of this product, while servers use it.',
  )
    .option('--store <url>', 'redis://…', process.env['SVC_STORE'])
    .action(async (options: OutputOptions & { store?: string }) => {
      const report = await upgrade(options.store)
      const text =
        report.from === report.to
          ? `The store is of version ${report.to}. Nothing is to be raised.`
          : `The store was raised from version ${report.from} to ${report.to}; ${report.changed} records were written.`
      print(options, report, text)
    })
}

async function copy(from: StoreAddress, to: StoreAddress): Promise<CopyReport> {
  if (from.name === to.name) throw new Error('Source and target are the same store.')
  const source = await openSource(from)
  try {
    const target = await openTarget(to)
    try {
      return await copyStore(source, target, { clock: systemClock, progress: told('entries') })
    } finally {
      await target.store.close()
    }
  } finally {
    await source.close()
  }
}

async function upgrade(url: string | undefined) {
  if (url === undefined) throw new Error('Name the store: --store redis://…, or SVC_STORE.')
  const { engine, place } = parseAddress(url)
  if (engine === 'sqlite') throw new Error('An embedded store is raised when its server starts.')
  const { redisStore } = await import('@svc/store/redis')
  const { upgradeShared } = await import('../storage/raise-store.ts')
  const store = redisStore({ url: place })
  try {
    const options = { pauseMs: PAUSE_MS, progress: told('records') }
    return await upgradeShared(store, systemClock, KNOWN_VERSIONS, options)
  } finally {
    await store.close()
  }
}

function words(
  { isDone, copied, records, changed, deleted }: CopyReport,
  from: StoreAddress,
): string {
  if (!isDone) {
    const pass =
      copied === undefined ? 'Everything was copied before.' : `Copied ${copied} entries.`
    return (
      `${pass} A server uses the source: stop it, then run this again. ` +
      'That copies what changed since, and takes a part of the time.'
    )
  }
  const keys = join(dirname(from.place), 'keys')
  const sealing =
    from.engine === 'sqlite' && existsSync(keys)
      ? `Set SVC_KEYS_FILE=${keys}`
      : 'Set SVC_KEYS or SVC_KEYS_FILE to them'
  return (
    `The copy is complete: ${records} records (${changed} copied in this pass, ${deleted} deleted). ` +
    `The source is marked as moved; no server starts on it.\nThe sealing keys stay the same. ${sealing}, and SVC_STORE to the new store.`
  )
}

/** Says on standard error how far it is, at most once a second. */
function told(what: string): (count: number) => void {
  let last = Number.NEGATIVE_INFINITY
  return (count) => {
    const now = performance.now()
    if (now - last < 1000) return
    last = now
    process.stderr.write(`${count} ${what}\n`)
  }
}
