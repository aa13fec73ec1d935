/** A due wake-up. */
export interface WakeUp {
  readonly id: string
  /** The instant asked for, milliseconds since the epoch. */
  readonly when: number
}

/**
 * Wakes a handler at a time. The record that the id names is the truth: a handler asks it, and ignores wake-ups
 * that are not due. @see decision D18
 */
export interface Scheduler {
  /**
   * Durable when resolved. The same queue, id and time again, also while it is being handled: once. Another time for
   * an id: both wake. A queue's name has 1 to 64 lower-case letters, digits and hyphens, an id 1 to 512 characters.
   */
  at(queue: string, id: string, when: number): Promise<void>
  /** Drops every pending wake-up of the id. One being handled is not stopped. */
  cancel(queue: string, id: string): Promise<void>
  /**
   * Handles due wake-ups of the queue, at least once each, after restarts too; one that throws comes again
   * with growing delay (1 s to 5 min). The answered function stops, after the handlers under way, waiting for them
   * 5 s at most. A store handles a queue with one handler, else `TypeError`; several processes share its wake-ups.
   * Due times alone do not keep a process alive.
   */
  process(queue: string, handler: (wakeUp: WakeUp) => Promise<void>): Promise<() => Promise<void>>
}
