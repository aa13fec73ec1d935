import type { Mail } from '../mailbox/mailbox.ts'
import type { Ability } from '../model/ability.ts'

/** What a run has beside the server. */
export interface Beside<World> {
  readonly abilities: readonly Ability[]
  /** Values that scenarios noted. */
  readonly notes: Record<string, string>
  /** An instance that was made for the run, its owner let in. @param main - the world of the run */
  fresh(main: World): Promise<World>
  /** The next mail that this accepts; empty when none comes in time. @param host - of the instance it is about */
  mail(label: string, host: string, accepts: (mail: Mail) => boolean): Promise<Mail>
  /** An account type that leads to the provider of the run. @returns its name */
  accountType(): Promise<string>
  advanceClock(seconds: number): Promise<void>
}
