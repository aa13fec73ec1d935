import { writeSync } from 'node:fs'

/** Characters that may wait; beyond that, lines that are not of the audit stream are dropped. */
const MOST = 1024 * 1024
/** Lines of the audit stream are dropped beyond this. */
const MOST_AUDIT = 16 * MOST
/** Of one write, characters; a pipe takes 64 KiB. */
const CHUNK = 32 * 1024
/** Between two tries of a pipe that is full, milliseconds. */
const FULL_PAUSE_MS = 20
/** A reader that took nothing for so long takes nothing, milliseconds. */
const STUCK_MS = 1000

/** Takes lines at once and writes them behind the requests. */
export interface LineWriter {
  write(line: string): void
  /** Answers when all is written, or when the reader took nothing for a second. */
  flush(): Promise<void>
  /** Writes what waits before it returns, unless the reader takes nothing: for a process that ends hard. */
  flushNow(): void
}

/**
 * Lines to a descriptor, in order, those of one turn in one write. A reader that stands still stops nobody: lines wait in
 * bounded memory, then are dropped, those of the audit stream last, and a line says how many.
 * @param fd - a pipe or socket must be non-blocking, so that writing to a full one is an error and no wait
 * @param tellDropped - makes that line
 */
export function createLineWriter(fd: number, tellDropped: (count: number) => string): LineWriter {
  const waiting: string[] = []
  const onIdle: (() => void)[] = []
  let characters = 0
  let dropped = 0
  /** What a full pipe did not take. */
  let rest: Buffer | undefined
  let progressAt = 0
  let isScheduled = false
  let isGone = false

  function write(line: string): void {
    if (isGone) return
    const most = line.includes('"audit":true') ? MOST_AUDIT : MOST
    if (characters + line.length > most) {
      dropped += 1
      return
    }
    waiting.push(line)
    characters += line.length
    if (isScheduled) return
    isScheduled = true
    progressAt = performance.now()
    setImmediate(send)
  }

  /** Writes until nothing waits or the pipe is full. */
  function send(): void {
    isScheduled = !sendAll()
    if (isScheduled) setTimeout(send, FULL_PAUSE_MS)
    else for (const tell of onIdle.splice(0)) tell()
  }

  /** Whether nothing waits any more. */
  function sendAll(): boolean {
    for (let bytes = rest ?? take(); bytes !== undefined; bytes = rest ?? take()) {
      try {
        const count = writeSync(fd, bytes)
        progressAt = performance.now()
        rest = count < bytes.length ? bytes.subarray(count) : undefined
      } catch (error) {
        rest = bytes
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EAGAIN' || code === 'EBUSY' || code === 'EINTR') return false
        // Nobody reads any more, and the server goes on.
        isGone = true
        rest = undefined
        waiting.length = 0
      }
    }
    return true
  }

  /** The next lines, undefined for none. */
  function take(): Buffer | undefined {
    if (dropped > 0 && characters < MOST / 2) {
      waiting.push(tellDropped(dropped))
      dropped = 0
    }
    let length = 0
    let count = 0
    while (count < waiting.length && length < CHUNK) length += waiting[count++]?.length ?? 0
    if (count === 0) return undefined
    characters = Math.max(characters - length, 0)
    return Buffer.from(waiting.splice(0, count).join(''))
  }

  const isStuck = (): boolean => isScheduled && performance.now() - progressAt > STUCK_MS

  function flush(): Promise<void> {
    if (!isScheduled) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setInterval(() => isStuck() && done(), STUCK_MS / 4)
      function done(): void {
        clearInterval(timer)
        resolve()
      }
      onIdle.push(done)
    })
  }

  function flushNow(): void {
    while (!sendAll() && !isStuck()) Atomics.wait(PAUSE, 0, 0, FULL_PAUSE_MS)
  }

  return { write, flush, flushNow }
}

/** Nobody wakes it: a wait on it is a pause of the process. */
const PAUSE = new Int32Array(new SharedArrayBuffer(4))
