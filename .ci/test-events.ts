/** What a worker reports of the file that it runs, one message an event. */
export interface TestEvent {
  readonly type: 'begin' | 'pass' | 'fail' | 'pending' | 'end' | 'closed'
  /** Of the test or the hook; of `end`, why the file did not load; of `closed`, what was still open. */
  readonly title: string
  /** Of a `fail`: on one line. */
  readonly message?: string
  /** Of a `begin`: how long mocha lets it run, milliseconds. */
  readonly limitMs?: number
  /** Of `closed`: processor time of the file in its own process, milliseconds. */
  readonly cpuMs?: number
}

/** What a worker is sent. */
export interface TestOrder {
  /** Absolute path. */
  readonly file: string
  /** The package's folder, which becomes the working directory. */
  readonly folder: string
  /** How many times slower than a quiet machine this one counts as. */
  readonly slowness: number
  /** How long what a file opened may stay open after its last test, milliseconds. */
  readonly graceMs: number
  /** Start of the names of files that the answers of its servers are noted in. Absent: they are not. */
  readonly answers?: string
}
