import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { checksOf } from '../groups/catalogue.ts'
import { CannotRun } from '../model/cannot-run.ts'
import { type Check, groupOf, type Verdict } from '../model/check.ts'
import type { Profile } from '../model/profile.ts'
import type { Operator } from '../operator/operator.ts'
import type { ConnectTo } from '../net/wire.ts'
import type { Report } from '../run/options.ts'
import { runThrough } from '../run/run.ts'
import { type Break, breakOf } from './break.ts'
import type { Matrix, Noticed } from './matrix.ts'
import { noticingsOf } from './noticing.ts'
import { type Owned, ownInstance } from './own-instance.ts'
import { BreakingProxy } from './proxy.ts'
import { SERVER_BREAKS } from './server-breaks.ts'

export interface LiveOptions {
  /** Base of the server: where the instances of the operator are. */
  readonly target: string
  readonly profile: Profile
  readonly operator: Operator
  readonly mailbox?: string
  readonly connectTo?: readonly ConnectTo[]
  /** Groups whose checks have to notice; all when absent. */
  readonly groups?: readonly string[]
  readonly seed: number
  readonly signal?: AbortSignal
  /** Called for each break that was tried, with what noticed it. */
  readonly tried?: (one: Tried) => void
}

/** A break, and the checks that failed while it lasted. */
export interface Tried {
  readonly family: string
  readonly name: string
  readonly at: string
  readonly groups: readonly string[]
  readonly noticed: readonly Noticed[]
  /** Checks that failed for another reason than the one that was broken, and what could not go on. */
  readonly others: readonly string[]
}

/** What the breaks of a whole self-test showed. */
export interface LiveMatrix extends Matrix {
  readonly tried: readonly Tried[]
  /** Breaks that no check noticed. */
  readonly unnoticed: readonly string[]
}

/** Ways to break an answer that are tried for a check at most. */
const MOST_WAYS = 8
/** Limits of so many requests from an address count for so long; milliseconds. */
const LIMIT_MS = 60_000

/**
 * Puts a proxy in front of a good server that breaks one thing at a time, and asks the server again each time, each time
 * on an instance of its own.
 * @throws CannotRun when the server does not pass without a break
 */
export async function selfTestLive(options: LiveOptions): Promise<LiveMatrix> {
  const proxy = await BreakingProxy.start(options.connectTo ?? [])
  try {
    return await new LiveTest(options, proxy).run()
  } finally {
    await proxy.close()
  }
}

class LiveTest {
  readonly #options: LiveOptions
  readonly #proxy: BreakingProxy
  readonly #checks: readonly Check[]
  readonly #tried: Tried[] = []
  readonly #killed = new Map<string, Noticed>()

  constructor(options: LiveOptions, proxy: BreakingProxy) {
    this.#options = options
    this.#proxy = proxy
    const { groups, profile } = options
    this.#checks = checksOf(profile, groups === undefined ? {} : { groups })
  }

  async run(): Promise<LiveMatrix> {
    const good = await this.#ask(undefined, undefined, this.#needsFresh(this.#checks))
    const bad = good.verdicts.find(({ outcome }) => outcome !== 'passed' && outcome !== 'skipped')
    if (bad !== undefined) {
      throw new CannotRun(`The server fails without a break: ${bad.id}: ${bad.reason ?? ''}`)
    }
    const judged = good.verdicts.filter(({ outcome }) => outcome === 'passed')
    for (const one of SERVER_BREAKS) {
      const groups = one.groups.filter((group) => judged.some((verdict) => verdict.group === group))
      for (const group of groups) await this.#try(one, group)
    }
    for (const verdict of judged) {
      if (!this.#killed.has(verdict.id)) await this.#break(verdict, good)
    }
    const noticed = [...this.#killed.values()]
    return {
      noticed,
      blind: judged.map(({ id }) => id).filter((id) => !this.#killed.has(id)),
      tried: this.#tried,
      unnoticed: this.#unnoticed(),
    }
  }

  /** Breaks what a check looks at, until it notices. */
  async #break(verdict: Verdict, { recording }: Report): Promise<void> {
    const check = this.#checks.find(({ id }) => id === verdict.id)
    if (check === undefined) return
    const sockets = new Set(
      recording.exchanges
        .filter(({ request }) => request.headers.some(([name]) => name === 'Upgrade'))
        .map(({ label }) => label),
    )
    const passed = new Set(
      recording.exchanges.filter(({ by }) => by !== undefined).map(({ label }) => label),
    )
    let ways = 0
    for await (const { mutation } of noticingsOf(
      check,
      recording,
      this.#options.profile,
      verdict.exchanges.filter((label) => !passed.has(label)),
    )) {
      const one = breakOf(mutation, sockets.has(mutation.at))
      if (one === undefined) continue
      if (++ways > MOST_WAYS) return
      await this.#try(one, verdict.group)
      if (this.#killed.has(verdict.id)) return
    }
  }

  async #try(one: Break, group: string): Promise<void> {
    const checks = this.#checks.filter(({ id }) => groupOf(id) === group)
    const fresh = this.#needsFresh(checks)
    let verdicts: readonly Verdict[] = []
    // What could not go on: no check has said what is wrong.
    let stopped: readonly string[]
    try {
      const report = await this.#askUndisturbed(one, group, fresh)
      verdicts = report.verdicts
      stopped = Object.entries(report.recording.stopped).map(
        ([scenario, why]) => `scenario ${scenario} stopped: ${firstLine(why)}`,
      )
    } catch (error) {
      // The owner cannot even log in at such a server.
      if (!(error instanceof CannotRun)) throw error
      stopped = [`the run ended: ${firstLine(error.message)}`]
    }
    if (this.#proxy.broken === 0) return
    const failed = verdicts.filter(({ outcome }) => outcome === 'failed' || outcome === 'warning')
    const noticed = failed
      .filter(({ reason: said = '' }) => one.reason.test(said))
      .map(({ id, reason: said = '' }) => ({
        check: id,
        family: one.family,
        mutation: one.at === undefined ? one.name : `${one.name} at ${one.at}`,
        said,
      }))
    for (const each of noticed)
      if (!this.#killed.has(each.check)) this.#killed.set(each.check, each)
    const others = failed
      .map(({ id }) => id)
      .filter((id) => !noticed.some(({ check }) => check === id))
    const { family, name, at = 'everywhere' } = one
    const tried: Tried = {
      family,
      name,
      at,
      groups: [group],
      noticed,
      others: [...others, ...stopped],
    }
    this.#tried.push(tried)
    this.#options.tried?.(tried)
  }

  /** A break that is everywhere is tried in several groups: one of them has to notice. */
  #unnoticed(): readonly string[] {
    const seen = Map.groupBy(this.#tried, ({ family, name, at }) => `${family}: ${name}, ${at}`)
    return [...seen].flatMap(([what, tries]) =>
      tries.some(({ noticed, others }) => noticed.length > 0 || others.length > 0) ? [] : [what],
    )
  }

  #needsFresh(checks: readonly Check[]): boolean {
    const left = checks.filter(({ id }) => !this.#killed.has(id))
    return left.some(({ needs = [] }) => needs.includes('fresh'))
  }

  /** Limits of an address go over all instances: where one was met, the same is asked once more when it is over. */
  async #askUndisturbed(one: Break, group: string, fresh: boolean): Promise<Report> {
    const report = await this.#ask(one, group, fresh)
    if (!report.verdicts.some(({ outcome }) => outcome === 'inconclusive')) return report
    const { signal } = this.#options
    await pause(LIMIT_MS, undefined, signal === undefined ? {} : { signal })
    return this.#ask(one, group, fresh)
  }

  /** One run against an instance that is made for it. */
  async #ask(one: Break | undefined, group: string | undefined, fresh: boolean): Promise<Report> {
    const { target, profile, operator, mailbox, connectTo, seed, groups, signal } = this.#options
    if (signal?.aborted === true) throw new Error('the self-test was ended')
    this.#proxy.use({})
    const run = `self-${randomBytes(4).toString('hex')}`
    const owned: Owned = await ownInstance({
      run,
      target,
      profile,
      operator,
      ...(connectTo !== undefined && { connectTo }),
    })
    try {
      this.#proxy.use(one?.begin() ?? {})
      const chosen = group === undefined ? groups : [group]
      return await runThrough(
        {
          target: owned.base,
          passphrase: owned.passphrase,
          profile,
          seed,
          connectTo: [
            { host: '', port: '', toHost: '127.0.0.1', toPort: String(this.#proxy.port) },
          ],
          ...(chosen !== undefined && { selection: { groups: chosen } }),
          ...(fresh && { operator, ...(mailbox !== undefined && { mailbox }) }),
          ...(signal !== undefined && { signal }),
        },
        { isLabelled: true },
      )
    } finally {
      await owned.remove()
    }
  }
}

/** A page may be part of what is said. */
function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
