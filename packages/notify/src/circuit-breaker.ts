/** Outcome of a call; `not_answering`: the server was not called; `timeout`: no answer until the signal ended. */
export type Answer<Result> = { readonly result: Result } | 'not_answering' | 'timeout'

/**
 * Leaves a server alone that says nothing: of the calls for it one at a time finds out whether it answers again, the
 * others end at once. So it cannot use up the places of those that answer. @see docs/decisions/0222
 */
export interface CircuitBreaker<Server> {
  /**
   * Asks the server, for no longer than the signal allows.
   * @param ask - an answer of any kind counts, a refusal too
   * @param isSilence - whether what came back, or was thrown, only says that the time was over
   */
  call<Result>(
    server: Server,
    signal: AbortSignal,
    ask: () => Promise<Result>,
    isSilence: (end: Result | Error) => boolean,
  ): Promise<Answer<Result>>
}

/** State of a server that did not answer. */
interface Silence {
  /** Calls in a row that ended without an answer. */
  count: number
  /** Whether a probe call is running, while all others are rejected. */
  isProbed: boolean
  /** When the next probe call is allowed. Milliseconds since the epoch. */
  probeAt: number
}

/** Calls without an answer, and none with one in between, after which a server is left alone. */
const OPEN_AFTER = 2
/** Between the end of a call that asked in vain and the next one. Milliseconds. */
const PAUSE_MS = 5000
/** How long a call may take to end after its signal. Milliseconds. */
const GRACE_MS = 500
/** Servers that are remembered: devices name some. */
const MAX_SERVERS = 1000

export function createCircuitBreaker<Server>(options: {
  readonly clock: { now(): number }
}): CircuitBreaker<Server> {
  const { clock } = options
  const silences = new Map<Server, Silence>()

  function noteSilence(server: Server, isProbe: boolean): void {
    const known = silences.get(server)
    const probeAt = clock.now() + PAUSE_MS
    if (known === undefined) {
      if (silences.size >= MAX_SERVERS) silences.clear()
      silences.set(server, { count: 1, isProbed: false, probeAt })
      return
    }
    known.count += 1
    if (isProbe) known.isProbed = false
    if (!known.isProbed) known.probeAt = probeAt
  }

  return {
    async call(server, signal, ask, isSilence) {
      const silence = silences.get(server)
      const isOpen = silence !== undefined && silence.count >= OPEN_AFTER
      if (isOpen) {
        if (silence.isProbed || clock.now() < silence.probeAt) return 'not_answering'
        silence.isProbed = true
      }
      let hasAnswered = false
      try {
        const answer = await inTime(ask, signal)
        hasAnswered = answer !== 'timeout' && !isSilence(answer.result)
        return answer
      } catch (error) {
        hasAnswered = !signal.aborted && !isSilence(error as Error) // Transports and gateways throw errors.
        throw error
      } finally {
        if (hasAnswered) silences.delete(server)
        else if (!isCut(signal)) noteSilence(server, isOpen)
        else if (isOpen) silence.isProbed = false
      }
    },
  }
}

/** The answer, or `timeout` soon after the signal when the call goes on in spite of it. */
async function inTime<Result>(
  ask: () => Promise<Result>,
  signal: AbortSignal,
): Promise<{ readonly result: Result } | 'timeout'> {
  const over = Promise.withResolvers<'timeout'>()
  const onAbort = (): void => {
    setTimeout(() => over.resolve('timeout'), GRACE_MS).unref()
  }
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([ask().then((result) => ({ result })), over.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Whether the call was aborted for another reason than its timeout, which says nothing about the server. */
function isCut({ aborted, reason }: AbortSignal): boolean {
  return aborted && !isTimeout(reason)
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}
