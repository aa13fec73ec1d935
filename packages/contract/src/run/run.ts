import { randomBytes } from 'node:crypto'
import { HttpDriver } from '../drivers/http-driver.ts'
import { CATALOGUE_VERSION, groupsOf } from '../groups/catalogue.ts'
import { Journal } from '../journal/journal.ts'
import { type Remaining, removeAll } from '../journal/remove.ts'
import { CannotRun, NotRemoved } from '../model/cannot-run.ts'
import type { Exchange, Recording } from '../model/exchange.ts'
import type { Profile } from '../model/profile.ts'
import { Budget, SAFE_BUDGET, type Spent, UNLIMITED } from '../net/budget.ts'
import { learnFrom } from '../net/learn.ts'
import { Secrets } from '../net/secrets.ts'
import { Surroundings } from '../world/surroundings.ts'
import { World } from '../world/world.ts'
import { chosenChecks, requireKnown } from './chosen.ts'
import { withExpected } from './expected.ts'
import { agentOf, baseOf, mailboxOf, openBeside, wireOf } from './openers.ts'
import type { Report, RunOptions } from './options.ts'
import { runScenarios, shuffled } from './scenarios.ts'
import { judgeAll } from './verdicts.ts'

const SPENT: readonly Spent[] = [
  'requests',
  'registrations',
  'wrong passphrases',
  'passcodes',
  'session codes',
  'mails',
  'requests to a fresh instance',
]

/** Asks a server everything, judges what it answered, and removes what was made. @throws CannotRun */
export function run(options: RunOptions): Promise<Report> {
  return runThrough(options, { isLabelled: false })
}

/**
 * The same, through the proxy of the self-test where requests are labelled.
 * @throws CannotRun
 */
export async function runThrough(
  options: RunOptions,
  { isLabelled }: { readonly isLabelled: boolean },
): Promise<Report> {
  const begun = performance.now()
  const id = options.runId ?? randomBytes(4).toString('hex')
  const seed = options.seed ?? randomBytes(3).readUIntBE(0, 3)
  const { profile, selection = {}, expected = [] } = options
  const checks = chosenChecks(profile, selection)
  requireKnown(expected)
  const base = baseOf(options.target)
  const secrets = new Secrets()
  if (options.passphrase === undefined && options.session === undefined) {
    throw new CannotRun('The owner is needed: a passphrase, or a session.')
  }
  secrets.learn('passphrase', options.passphrase)
  for (const pair of options.session?.split(';') ?? []) {
    secrets.learn('cookie', pair.split('=').slice(1).join('=').trim())
  }
  const budget = new Budget({ ...SAFE_BUDGET, ...options.limits })
  const wire = wireOf(options, budget, { isLabelled, signal: options.signal })
  // What was made is removed whatever happened, and needs no budget.
  const cleaner = wireOf(options, new Budget(UNLIMITED), {})
  // Reading mails is no load of what is tested, and no part of the recording.
  const mailbox = await mailboxOf(options, cleaner)
  const driver = new HttpDriver({
    base,
    profile,
    secrets,
    budget,
    ...(options.passphrase !== undefined && { passphrase: options.passphrase }),
  })
  const surroundings = new Surroundings({
    run: id,
    ...(options.operator !== undefined && { operator: options.operator }),
    ...(options.isSlow !== undefined && { isSlow: options.isSlow }),
    ...(mailbox !== undefined && { mailbox }),
    hasPassphrase: options.passphrase !== undefined,
  })
  const agent = await openBeside(
    () => surroundings.close(),
    () => agentOf(options, { base, wire, pages: driver }),
  )
  const closeAll = async (): Promise<void> => {
    await surroundings.close()
    await agent.close()
  }
  // A run that cannot be made leaves no file.
  const journal = await openBeside(
    closeAll,
    () => new Journal({ run: id, target: base.origin }, options.journal),
  )
  const world = new World({
    base,
    run: id,
    profile,
    wire,
    secrets,
    budget,
    journal,
    driver,
    agent,
    surroundings,
    ...(options.session !== undefined && { session: options.session }),
  })
  const isStopping = (): boolean => options.signal?.aborted === true
  let stopped: Record<string, string> = {}
  let remaining: readonly Remaining[] = []
  let fault: unknown
  try {
    await reach(world)
    const scenarios = groupsOf(profile, selection).flatMap((group) => group.scenarios)
    stopped = await runScenarios(shuffled(scenarios, seed), world, isStopping)
    if (wire.stopped !== undefined) throw new CannotRun(wire.stopped)
  } catch (error) {
    fault = error
  } finally {
    remaining = await removeAll(journal.leftovers, cleaner, (made) => journal.gone(made))
    cleaner.close()
    wire.close()
    await closeAll()
    if (remaining.length === 0 && journal.leftovers.unknown.every(isSession)) journal.close()
  }
  if (fault !== undefined) throw withRemaining(fault, secrets.redactAll(remaining))
  for (const exchange of wire.exchanges) learnFrom(secrets, exchange)
  const about = { target: base.origin, run: id, notes: world.notes, stopped }
  const recording: Recording = {
    ...secrets.redactAll(about),
    abilities: surroundings.abilities,
    exchanges: redacted(wire.exchanges, secrets),
    secrets: secrets.facts,
  }
  const verdicts = await judgeAll(checks, recording, profile)
  return {
    schema: 'contract-report/1',
    target: base.origin,
    profile: profile.name,
    catalogue: selection.catalogue ?? CATALOGUE_VERSION,
    run: id,
    seed,
    begun: new Date(performance.timeOrigin + begun).toISOString(),
    ms: Math.round(performance.now() - begun),
    spent: Object.fromEntries(SPENT.map((what) => [what, budget.spent(what)])),
    verdicts: withExpected(verdicts, expected, new Date()),
    recording,
    remaining: secrets.redactAll(remaining),
  }
}

/**
 * Judges what a run recorded again: nothing is sent.
 * @param report - of the run
 * @throws CannotRun for a selection or an expected failure that names no check
 * @example
 * const profile = PROFILES.find(({ name }) => name === report.profile)
 * if (profile !== undefined) writeReport(await replay(report, profile), { format: 'tap', file: 'again.tap' })
 */
export async function replay(
  report: Report,
  profile: Profile,
  { selection = {}, expected = [] }: Pick<RunOptions, 'selection' | 'expected'> = {},
): Promise<Report> {
  const checks = chosenChecks(profile, selection)
  requireKnown(expected)
  const verdicts = await judgeAll(checks, report.recording, profile)
  return {
    ...report,
    profile: profile.name,
    catalogue: selection.catalogue ?? CATALOGUE_VERSION,
    verdicts: withExpected(verdicts, expected, new Date()),
  }
}

/** One after the other, and each in the place of what it was: two copies of a whole run take too much room. */
function redacted(exchanges: Exchange[], secrets: Secrets): readonly Exchange[] {
  for (const [at, exchange] of exchanges.entries()) exchanges[at] = secrets.redactAll(exchange)
  return exchanges
}

/** Why a run could not be made, with what it could not remove. */
function withRemaining(fault: unknown, remaining: readonly Remaining[]): unknown {
  if (remaining.length === 0) return fault
  const told = fault instanceof Error ? fault.message : String(fault)
  const left = remaining.map(
    ({ made, reason }) => `Not removed: ${made.kind} "${made.name}": ${reason}`,
  )
  return new NotRemoved([told, ...left].join('\n'), { cause: fault })
}

function isSession({ kind }: { readonly kind: string }): boolean {
  return kind === 'session'
}

async function reach(world: World): Promise<void> {
  try {
    await world.endpoints()
    if (world.has('pages')) await world.owner()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    // Programs and browsers say what they filled in.
    throw new CannotRun(world.secrets.redact(reason), { cause: error })
  }
}
