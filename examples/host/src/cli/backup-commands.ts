import { join } from 'node:path'
import process from 'node:process'
import { EXIT_CODES } from '../exit-codes.ts'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '@svc/store'
import type { Command } from 'commander'
import type { CreatedBackup } from '../backups/create-backup.ts'
import type { Manifest } from '../backups/manifest.ts'
import type { MarkOptions } from '../backups/mark-redis.ts'
import type { Verification } from '../backups/verify-backup.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { readSealingKeys } from '../storage/sealing-keys.ts'
import { type AdminClient, createAdminClient, isServerAway } from './admin-client.ts'
import { subcommand } from './command.ts'
import { clean, type OutputOptions, print } from './output.ts'

interface CreateOptions extends OutputOptions {
  readonly to?: string
  readonly recipient?: string
  readonly keep?: string
}

interface VerifyOptions extends OutputOptions {
  readonly manifest?: string
  readonly identityFile?: string
}

interface RestoreOptions extends VerifyOptions {
  readonly revokeGrants?: boolean
  readonly sameInstant?: boolean
  readonly mark?: boolean
}

/** Between two questions whether the copy is made. Milliseconds. */
const ASK_MS = 100
/** A verification found faults. */
const FAULTY = EXIT_CODES.backup.faulty
const READABLE =
  'It is not encrypted: mail addresses and documents are readable in the file. --recipient age1… encrypts it.'

/** `svc backup …` */
export function addBackupCommands(program: Command): void {
  const backup = program.command('backup').description('Backups of the whole store.')
  subcommand(backup, 'create', 'Makes a backup while the server runs.')
    .option('--to <folder>', 'where it goes; <data folder>/backups unless given')
    .option('--recipient <recipient>', 'encrypt it to this public key of age')
    .option('--keep <periods>', 'remove older ones, but of the last days, weeks, months: 7d,4w,12m')
    .action(create)
  subcommand(
    backup,
    'verify <file>',
    'Proves that a backup can be restored. Touches nothing in use.',
  )
    .option('--manifest <file>', 'its manifest; the one beside it unless given')
    .option('--identity-file <file>', 'opens an encrypted one')
    .action(async (file: string, options: VerifyOptions) => {
      const config = loadConfig()
      const verification = await verify(config, file, options)
      const isGood = verification.faultCount === 0
      if (isGood) await noteVerified(config)
      else process.exitCode = FAULTY
      print(options, verification, wordsOf(file, verification))
    })
  subcommand(
    backup,
    'restore <file>',
    'Puts a backup in the place of the store of a stopped server.',
  )
    .option('--manifest <file>', 'its manifest; the one beside it unless given')
    .option('--identity-file <file>', 'opens an encrypted one')
    .option('--revoke-grants', 'what owners allowed apps and devices ends, too')
    .option('--same-instant', 'nothing was written since: nobody is logged out or told')
    .option(
      '--mark',
      'with Redis: the file is in its place, and the store is to know that it is of the past',
    )
    .action(restore)
}

async function create(options: CreateOptions): Promise<void> {
  const config = loadConfig()
  const { parseKeep, removeSurplus } = await import('../backups/retention.ts')
  const keep = options.keep === undefined ? undefined : parseKeep(options.keep)
  const { allKinds } = await import('../backups/all-kinds.ts')
  const { recipient } = options
  const given = {
    config,
    directory: options.to ?? join(config.dataDir, 'backups'),
    registry: allKinds(config.namespace),
    clock: systemClock,
    ...(recipient !== undefined && { recipient }),
  }
  const created =
    config.store === 'sqlite'
      ? await (await import('../backups/create-backup.ts')).createBackup({
          ...given,
          copy: (file) => copyByServer(createAdminClient(config), file),
        })
      : await (await import('../backups/redis-backup.ts')).createRedisBackup({
          ...given,
          url: config.store,
        })
  const removed = keep === undefined ? [] : removeSurplus(given.directory, keep)
  if (recipient === undefined) process.stderr.write(`${READABLE}\n`)
  const { file, manifest } = created
  print(options, { file, manifest, removed }, createdWords(created, removed))
}

/** Has the server copy its store, and waits until it did. */
async function copyByServer(admin: AdminClient, file: string): Promise<void> {
  let copy = await admin.call('POST', '/backups', { file })
  while (copy['state'] === 'copying') {
    await setTimeout(ASK_MS)
    copy = await admin.call('GET', '/backups/current')
  }
  if (copy['file'] === file && copy['state'] === 'done') return
  throw new Error(`The server made no copy: ${clean(copy['error'] ?? 'it was started again')}`)
}

async function verify(config: Config, file: string, options: VerifyOptions): Promise<Verification> {
  const { verifyBackup } = await import('../backups/verify-backup.ts')
  const { allKinds } = await import('../backups/all-kinds.ts')
  const { manifest, identityFile } = options
  return verifyBackup({
    file,
    registry: allKinds(config.namespace),
    keys: readSealingKeys(config).keys,
    ...(manifest !== undefined && { manifest }),
    ...(identityFile !== undefined && { identityFile }),
  })
}

/** For `svc doctor` and the metrics; a machine that only verifies has no server. */
async function noteVerified(config: Config): Promise<void> {
  try {
    await createAdminClient(config).call('POST', '/backups/verified')
  } catch (error) {
    if (!isServerAway(error)) throw error
    process.stderr.write('The server does not run here: it does not know of this verification.\n')
  }
}

async function restore(file: string, options: RestoreOptions): Promise<void> {
  const config = loadConfig()
  const verification = await verify(config, file, options)
  const { manifest } = verification
  if (verification.faultCount > 0 || manifest === undefined) {
    process.exitCode = FAULTY
    print(options, verification, `${wordsOf(file, verification)}\nNothing was changed.`)
    return
  }
  checkEngines(config, file, manifest, options)
  const { restoreBackup } = await import('../backups/restore-backup.ts')
  const { withPlain } = await import('../backups/verify-backup.ts')
  const { identityFile } = options
  const encrypted = { file, ...(identityFile !== undefined && { identityFile }) }
  const kept = await withPlain(encrypted, manifest, async (plain) => {
    const given = {
      plain,
      backupAt: Date.parse(manifest.createdAt),
      revokeGrants: options.revokeGrants === true,
      isSameInstant: options.sameInstant === true,
      clock: systemClock,
    }
    if (config.store !== 'sqlite') return markShared(config.store, given)
    return restoreBackup({ ...given, place: join(config.dataDir, 'store.db') })
  })
  const words = [
    `The store is that of ${manifest.createdAt}. Start the server.`,
    ...(kept === undefined ? [] : [`The store of before is ${kept}.`]),
    ...(options.sameInstant === true
      ? []
      : ['At its start all sessions end, and every owner is told by mail and in the settings.']),
  ]
  print(options, { manifest, kept }, words.join('\n'))
}

/** @throws Error that says what to do instead */
function checkEngines(
  config: Config,
  file: string,
  { engine }: Manifest,
  { mark, sameInstant }: RestoreOptions,
): void {
  const has = config.store === 'sqlite' ? 'sqlite' : 'redis'
  if (engine !== has) {
    const [of, is] = engine === 'redis' ? ['Redis', 'embedded'] : ['an embedded store', 'on Redis']
    throw new Error(
      `The backup is of ${of}, and the store here is ${is}. Put it back into a store of its own kind, by SVC_STORE, ` +
        'and carry that one over with "svc store copy". Nothing was changed.',
    )
  }
  if (has === 'sqlite') {
    if (mark === true) throw new Error('--mark is for Redis: an embedded store is put back whole.')
    return
  }
  if (mark === true && sameInstant !== true) return
  throw new Error(
    [
      'Redis puts its own file back, not this command:',
      '  1. Stop all servers, then Redis.',
      `  2. Put ${file}${file.endsWith('.age') ? ', decrypted with age -d,' : ''} in the place of its own file (dir and dbfilename of its configuration).`,
      '  3. Start Redis with appendonly no; once it answers, CONFIG SET appendonly yes.',
      ...(sameInstant === true
        ? ['  4. Start the servers: a copy of the same instant needs no mark.']
        : [
            `  4. svc backup restore ${file} --mark, so that sessions end and owners are told. Then start the servers.`,
          ]),
      'Nothing was changed.',
    ].join('\n'),
  )
}

async function markShared(url: string, given: Omit<MarkOptions, 'url'>): Promise<undefined> {
  const { markRedisRestored } = await import('../backups/mark-redis.ts')
  await markRedisRestored({ ...given, url })
}

function createdWords({ file, manifest }: CreatedBackup, removed: readonly string[]): string {
  const total = Object.values(manifest.records).reduce((sum, count) => sum + count, 0)
  const kids = manifest.kids.join(', ')
  return [
    file,
    `${manifest.instances} instances, ${total} records, ${manifest.bytes} bytes.`,
    `It is worth nothing without the sealing keys ${kids}: keep a copy of them elsewhere.`,
    ...removed.map((old) => `Removed ${old}.`),
  ].join('\n')
}

function wordsOf(file: string, { faultCount, faults, manifest }: Verification): string {
  if (faultCount === 0) {
    const total = Object.values(manifest?.records ?? {}).reduce((sum, count) => sum + count, 0)
    return `${file} can be restored: ${manifest?.instances} instances, ${total} records, of ${manifest?.createdAt}.`
  }
  const more = faultCount > faults.length ? [`… and ${faultCount - faults.length} more.`] : []
  const lines = faults.map(({ code, text }) => `  - ${code}: ${clean(text)}`)
  return [`${file} has ${faultCount} faults:`, ...lines, ...more].join('\n')
}
