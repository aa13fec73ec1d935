import { describeError } from '@svc/store'
import { StartError } from './checks/start.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { ConfigError, loadConfig } from './config/config.ts'
import { type RunningHost, startHost } from './host.ts'
import { createLog, type HostLog } from './log/log.ts'

/** A stop that takes longer is ended hard, milliseconds. @see security.md 118 */
const HARD_STOP_MS = 30_000
/** How long a stopped server may wait for what is not its own, milliseconds. */
const LINGER_MS = 1000

/** Exit codes of a start that failed. @see operation.md 0.4 */
const EXIT = EXIT_CODES.server

/** Runs the server until a signal. Faults of the start are told in words. */
export async function serve(): Promise<void> {
  let log: HostLog | undefined
  try {
    const config = loadConfig()
    log = createLog(config.logLevel)
    reportCrashes(log)
    const host = await startHost({
      config,
      log,
      notice: (text) => process.stdout.write(`${text}\n`),
      endUntrusted: () => {
        log?.flushNow()
        process.exit(EXIT.unavailable)
      },
    })
    stopOnSignal(host, log)
    reloadOnSignal(host, log)
    // From here on a signal ends it well: who waits for this line may send one.
    log.info('server.started', { port: host.port, adminPort: host.adminPort })
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    await log?.flush()
    process.exitCode = EXIT[kindOf(error)]
  }
}

function stopOnSignal(host: RunningHost, log: HostLog): void {
  let isStopping = false
  function onSignal(signal: NodeJS.Signals): void {
    if (isStopping) endHard(log)
    isStopping = true
    log.info('server.stopping', { signal })
    setTimeout(() => {
      log.error('server.stop_failed', { open: process.getActiveResourcesInfo() })
      endHard(log)
    }, HARD_STOP_MS).unref()
    host.stop().then(
      () => {
        log.info('server.stopped')
        // Nothing of ours is open any more: the process ends by itself, with 0. What a library still waits for, such as
        // a mail server that says nothing, does not hold that up, nor does somebody who does not read the log.
        void log.flush().then(() => setTimeout(() => process.exit(0), LINGER_MS).unref())
      },
      (error: Error) => {
        log.error('server.stop_failed', { cause: describeError(error) })
        endHard(log)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

function reloadOnSignal(host: RunningHost, log: HostLog): void {
  process.on('SIGHUP', () => {
    host.reload().then(
      () => log.info('server.reloaded'),
      (error: Error) => log.error('server.reload_failed', { cause: describeError(error) }),
    )
  })
}

function reportCrashes(log: HostLog): void {
  // A promise that nobody waited for must not end the server of other people (security.md 115).
  process.on('unhandledRejection', (reason) => {
    log.error('process.unhandled_rejection', { cause: describeError(reason) })
  })
  process.on('uncaughtException', (error) => {
    log.error('process.uncaught_exception', { cause: describeError(error) })
    endHard(log)
  })
}

/**
 * Ends this process at once, with what is logged. `process.exit` may never return: it waits for threads of V8, of which
 * one that compiles may wait for a garbage collection of this one (nodejs/node#54918).
 */
function endHard(log: HostLog): never {
  log.flushNow()
  process.kill(process.pid, 'SIGKILL')
  // Still here: the first process of a container cannot kill itself.
  process.exit(1)
}

function kindOf(error: unknown): keyof typeof EXIT {
  if (error instanceof ConfigError || error instanceof StartError) return 'configuration'
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EACCES') return 'configuration'
  const isTaken = code === 'EADDRINUSE' || code === 'EADDRNOTAVAIL'
  return isTaken || code === 'store_unavailable' ? 'unavailable' : 'other'
}

/** What went wrong at the start, for somebody who has not read the code. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError) return error.message
  const { code, port, message, stack } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken by another program. Set SVC_PORT or SVC_ADMIN_PORT to another one.`
  }
  if (code === 'EADDRNOTAVAIL') return `This machine does not have the address of SVC_HOST.`
  if (code === 'EACCES')
    return `Not allowed to use ${port === undefined ? message : `port ${port}`}.`
  if (code === 'store_unavailable') return `The store cannot be used: ${message}`
  return stack ?? message ?? String(error)
}
