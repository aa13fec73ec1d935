import { randomBytes } from 'node:crypto'
import { HttpDriver } from '../drivers/http-driver.ts'
import { CATALOGUE_VERSION, checksOf, groupsOf } from '../groups/catalogue.ts'
import { Journal } from '../journal/journal.ts'
import { type Remaining, removeAll } from '../journal/remove.ts'
import type { Verdict } from '../model/check.ts'
import type { Exchange, Recording } from '../model/exchange.ts'
import type { Profile } from '../model/profile.ts'
import type { Selection } from '../model/selection.ts'
import { Budget, SAFE_BUDGET, type Spent, UNLIMITED } from '../net/budget.ts'
import type { Mailbox } from '../mailbox/mailbox.ts'
import { openMailbox } from '../mailbox/open-mailbox.ts'
import type { Operator } from '../operator/operator.ts'
import { learnFrom } from '../net/learn.ts'
import { Secrets } from '../net/secrets.ts'
import { type ConnectTo, Wire } from '../net/wire.ts'
import { Surroundings } from '../world/surroundings.ts'
import { World } from '../world/world.ts'
import { type Expected, withExpected } from './expected.ts'
import { runScenarios, shuffled } from './scenarios.ts'
import { judgeAll } from './verdicts.ts'

/** The run could not be made: nothing is said about the server's rules. */
export class CannotRun extends Error {}

export interface RunOptions {
  readonly target: string
  readonly passphrase: string
  readonly profile: Profile
  readonly selection?: Selection
  readonly expected?: readonly Expected[]
  /** @defaultValue 8 */
  readonly concurrency?: number
  readonly seed?: number
  readonly connectTo?: readonly ConnectTo[]
  readonly ca?: string
  /** Where what is made is written down; in memory alone when absent. */
  readonly journal?: string
  /** Other limits, for a server whose owner is made for the run. */
  readonly limits?: Partial<Readonly<Record<Spent, number>>>
  /** Makes an instance for what needs more than is safe; such checks are skipped when absent. */
  readonly operator?: Operator
  /** As `--mailbox`; checks that need a mail are skipped when absent. */
  readonly mailbox?: string
  /** Waits for expiries that no operator can bring about. */
  readonly isSlow?: boolean
  /** Ends the run early; what was made is removed. */
  readonly signal?: AbortSignal
  readonly runId?: string
}

/** What came out of a run. */
export interface Report {
  readonly schema: 'contract-report/1'
  readonly target: string
  readonly profile: string
  readonly catalogue: string
  readonly run: string
  readonly seed: number
  readonly begun: string
  readonly ms: number
  readonly spent: Readonly<Partial<Record<Spent, number>>>
  readonly verdicts: readonly Verdict[]
  readonly recording: Recording
  /** What could not be removed. */
  readonly remaining: readonly Remaining[]
}

const CONCURRENCY = 8
const SPENT: readonly Spent[] = [
  'requests',
  'registrations',
  'wrong passphrases',
  'session codes',
  'mails',
  'requests to a fresh instance',
]

/** Asks a server everything, judges what it answered, and removes what was made. @throws CannotRun */
export async function run(options: RunOptions): Promise<Report> {
  const begun = performance.now()
  const id = options.runId ?? randomBytes(4).toString('hex')
  const seed = options.seed ?? randomBytes(3).readUIntBE(0, 3)
  const { profile, selection = {} } = options
  const base = baseOf(options.target)
  const secrets = new Secrets()
  secrets.learn('passphrase', options.passphrase)
  const budget = new Budget({ ...SAFE_BUDGET, ...options.limits })
  const wire = wireOf(options, budget, options.signal)
  // What was made is removed whatever happened, and needs no budget.
  const cleaner = wireOf(options, new Budget(UNLIMITED))
  // Reading mails is no load of what is tested, and no part of the recording.
  const mailbox = await mailboxOf(options, cleaner)
  const journal = new Journal({ run: id, target: base.origin }, options.journal)
  const driver = new HttpDriver({ base, profile, passphrase: options.passphrase, secrets })
  const surroundings = new Surroundings({
    run: id,
    ...(options.operator !== undefined && { operator: options.operator }),
    ...(options.isSlow !== undefined && { isSlow: options.isSlow }),
    ...(mailbox !== undefined && { mailbox }),
  })
  const world = new World({
    base,
    run: id,
    profile,
    wire,
    secrets,
    budget,
    journal,
    driver,
    surroundings,
  })
  const isStopping = (): boolean => options.signal?.aborted === true
  let stopped: Record<string, string> = {}
  let remaining: readonly Remaining[] = []
  try {
    await reach(world)
    const scenarios = groupsOf(profile, selection).flatMap((group) => group.scenarios)
    stopped = await runScenarios(shuffled(scenarios, seed), world, isStopping)
  } finally {
    remaining = await removeAll(journal.leftovers, cleaner, (made) => journal.gone(made))
    cleaner.close()
    wire.close()
    await surroundings.close()
    if (remaining.length === 0 && journal.leftovers.unknown.every(isSession)) journal.close()
  }
  if (wire.stopped !== undefined) throw new CannotRun(wire.stopped)
  for (const exchange of wire.exchanges) learnFrom(secrets, exchange)
  const recording: Recording = {
    target: base.origin,
    run: id,
    exchanges: [...redacted(wire, secrets)],
    secrets: secrets.facts,
    notes: secrets.redactAll(world.notes),
    abilities: surroundings.abilities,
    stopped: secrets.redactAll(stopped),
  }
  const verdicts = await judgeAll(checksOf(profile, selection), recording, profile)
  return {
    schema: 'contract-report/1',
    target: base.origin,
    profile: profile.name,
    catalogue: CATALOGUE_VERSION,
    run: id,
    seed,
    begun: new Date(performance.timeOrigin + begun).toISOString(),
    ms: Math.round(performance.now() - begun),
    spent: Object.fromEntries(SPENT.map((what) => [what, budget.spent(what)])),
    verdicts: withExpected(verdicts, options.expected ?? [], new Date()),
    recording,
    remaining: secrets.redactAll(remaining),
  }
}

/** Judges a recording again. */
export async function replay(report: Report, profile: Profile): Promise<readonly Verdict[]> {
  return judgeAll(checksOf(profile, {}), report.recording, profile)
}

/** One after another, so that no exchange is there twice; the wire keeps none. */
function* redacted({ exchanges }: Wire, secrets: Secrets): Generator<Exchange> {
  for (const exchange of exchanges.splice(0)) yield secrets.redactAll(exchange)
}

function isSession({ kind }: { readonly kind: string }): boolean {
  return kind === 'session'
}

async function mailboxOf({ mailbox }: RunOptions, wire: Wire): Promise<Mailbox | undefined> {
  if (mailbox === undefined) return undefined
  try {
    return await openMailbox(mailbox, wire)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotRun(`The mailbox cannot be opened: ${reason}`, { cause: error })
  }
}

async function reach(world: World): Promise<void> {
  try {
    await world.endpoints()
    if (world.has('pages')) await world.owner()
  } catch (error) {
    throw new CannotRun(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function baseOf(target: string): URL {
  if (!URL.canParse(target)) throw new CannotRun(`${target} is no URL`)
  const url = new URL(target)
  if (!['http:', 'https:'].includes(url.protocol))
    throw new CannotRun(`${target} is no web address`)
  return new URL(`${url.origin}/`)
}

function wireOf(options: RunOptions, budget: Budget, signal?: AbortSignal): Wire {
  return new Wire({
    budget,
    concurrency: options.concurrency ?? CONCURRENCY,
    ...(options.connectTo !== undefined && { connectTo: options.connectTo }),
    ...(options.ca !== undefined && { ca: options.ca }),
    ...(signal !== undefined && { signal }),
  })
}
