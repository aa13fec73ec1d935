import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@svc/store'
import { type Command, InvalidArgumentError } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'
import { keyStatusWords, resealWords, type Work } from './key-words.ts'
import { clean, type OutputOptions, print } from './output.ts'

interface PacedOptions extends OutputOptions {
  readonly rate?: number
  /** False with `--no-wait`. */
  readonly wait: boolean
}

interface RotateOptions extends PacedOptions {
  readonly all?: boolean
  readonly revoke?: boolean
  readonly sessions?: boolean
  readonly links?: boolean
}

/** How often a command looks whether the server is done. Milliseconds. */
const POLL_MS = 500
/** How often it says how far that is. Milliseconds. */
const SAY_MS = 5000

/** `svc keys …` */
export function addKeyCommands(program: Command, connect: () => AdminClient): void {
  const keys = program
    .command('keys')
    .description('Signing keys of instances, and the keys that seal.')
  addRotate(keys, connect)
  paced(
    subcommand(keys, 'reseal', 'Seals everything in the store with the first of the sealing keys.'),
  ).action(async (options: PacedOptions) => {
    const body = options.rate === undefined ? {} : { rate: options.rate }
    const started = await connect().call('POST', '/keys/reseal', body)
    const say = (work: Work): string => resealWords(work)
    finish(options, await follow(connect(), '/keys/reseal', started, options, say), say)
  })
  subcommand(keys, 'status', 'Shows each sealing key, and whether it may go.').action(
    async (options: OutputOptions) => {
      const admin = connect()
      let answer = await admin.call('GET', '/keys/status')
      while (answer['counted_at'] === null) {
        await sleep(POLL_MS)
        answer = await admin.call('GET', '/keys/status')
      }
      print(options, answer, keyStatusWords(answer))
    },
  )
}

function addRotate(keys: Command, connect: () => AdminClient): void {
  paced(
    subcommand(keys, 'rotate [domain]', 'Makes a new key sign; older access tokens live on.')
      .option('--all', 'of all instances')
      .option('--revoke', 'end every access token at once')
      .option('--sessions', 'end every session of the owner, too')
      .option('--links', 'end the unsubscribe links of every mail that was sent, too'),
  ).action(async (domain: string | undefined, options: RotateOptions) => {
    if ((domain === undefined) !== (options.all === true)) {
      throw new Error('Name an instance, or say --all.')
    }
    const { rate } = options
    const kinds = {
      revoke: options.revoke === true,
      sessions: options.sessions === true,
      links: options.links === true,
    }
    if (domain !== undefined) {
      const answer = await connect().call('POST', instancePath(domain, '/rotate-keys'), kinds)
      print(options, answer, `A new key signs for ${domain}.`)
      return
    }
    const body = rate === undefined ? kinds : { ...kinds, rate }
    const started = await connect().call('POST', '/keys/rotate', body)
    const say = (work: Work): string =>
      work['status'] === 'done'
        ? `New keys sign for ${clean(work['rotated'])} instances.`
        : `New keys sign for ${clean(work['rotated'])} instances so far (${clean(work['hostname'])}).`
    finish(options, await follow(connect(), '/keys/rotate', started, options, say), say)
  })
}

/** A command that starts work of the server. */
function paced(command: Command): Command {
  return command
    .option('--rate <count>', 'records a second at most (default: 200)', parseRate)
    .option('--no-wait', 'return at once: the server goes on')
}

/** Waits until the work is done, and says how far it is where somebody watches. */
async function follow(
  admin: AdminClient,
  path: string,
  started: Work,
  { wait, json }: PacedOptions,
  say: (work: Work) => string,
): Promise<Work> {
  let work = started
  let saidAt = systemClock.now()
  while (wait && work['status'] === 'running') {
    await sleep(POLL_MS)
    work = await admin.call('GET', path)
    if (json === true || systemClock.now() - saidAt < SAY_MS || work['status'] !== 'running')
      continue
    saidAt = systemClock.now()
    process.stderr.write(`${say(work)}\n`)
  }
  return work
}

function finish(options: PacedOptions, work: Work, say: (work: Work) => string): void {
  if (work['status'] === 'failed') throw new Error(String(work['reason']))
  print(options, work, say(work))
}

function parseRate(text: string): number {
  const rate = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (rate < 1 || rate > 10_000) throw new InvalidArgumentError('must be between 1 and 10000')
  return rate
}
