import type { Remaining } from '../journal/remove.ts'
import type { Verdict } from '../model/check.ts'
import type { Environment } from '../model/environment.ts'
import type { Recording } from '../model/exchange.ts'
import type { Profile } from '../model/profile.ts'
import type { Selection } from '../model/selection.ts'
import type { Spent } from '../net/budget.ts'
import type { ConnectTo } from '../net/wire.ts'
import type { Operator } from '../operator/operator.ts'
import type { Expected } from './expected.ts'

/**
 * What a run of the contract is told: the address of an instance, its passphrase, and a profile. Everything else has a
 * default. @see docs/contract/README.md of the repository
 */
export interface RunOptions {
  readonly target: string
  /** Of the owner; needed where there is no `session`. */
  readonly passphrase?: string
  /** Cookies of the owner instead, as `name=value; name=value`: what asks for the passphrase is skipped then. */
  readonly session?: string
  /** What acts for the owner: `http`, `chromium` or `command:<program>`. @defaultValue `http` */
  readonly driver?: string
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
  /** Deletes the mails that were read, where the mailbox can. */
  readonly mailboxDelete?: boolean
  /** Waits for expiries that no operator can bring about. */
  readonly isSlow?: boolean
  /** `CHROMIUM_PATH`, `CONTRACT_MAILBOX_PASSWORD`, and what a program of `driver` gets. @defaultValue nothing */
  readonly environment?: Environment
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
