import process from 'node:process'
import { ConfigError, loadConfig } from './config.ts'
import { type RunningHost, startHost } from './host.ts'
import { createLog, type HostLog } from './log.ts'

/** A stop that takes longer is ended hard, milliseconds. */
const HARD_STOP_MS = 30_000

/** Runs the server until a signal. Faults of the start are told in words, with exit code 1. */
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
    })
    stopOnSignal(host, log)
    reloadOnSignal(host, log)
    // From here on a signal ends it well: who waits for this line may send one.
    log.info('server.started', { port: host.port, adminPort: host.adminPort })
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    log?.flush()
    process.exitCode = 1
  }
}

function stopOnSignal(host: RunningHost, log: HostLog): void {
  let isStopping = false
  function onSignal(signal: NodeJS.Signals): void {
    if (isStopping) process.exit(1)
    isStopping = true
    log.info('server.stopping', { signal })
    setTimeout(() => process.exit(1), HARD_STOP_MS).unref()
    host.stop().then(
      () => {
        log.info('server.stopped')
        log.flush()
        process.exit(0)
      },
      (error: Error) => {
        log.error('server.stop_failed', { cause: error.stack })
        process.exit(1)
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
      (error: Error) => log.error('server.reload_failed', { cause: error.stack }),
    )
  })
}

function reportCrashes(log: HostLog): void {
  // A promise that nobody waited for must not end the server of other people (security.md 115).
  process.on('unhandledRejection', (reason) => {
    log.error('process.unhandled_rejection', {
      cause: reason instanceof Error ? reason.stack : String(reason),
    })
  })
  process.on('uncaughtException', (error) => {
    log.error('process.uncaught_exception', { cause: error.stack })
    log.flush()
    process.exit(1)
  })
}

/** What went wrong at the start, for somebody who has not read the code. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  const { code, port, message, stack } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') {
    return `Port ${port} is taken by another program. Set SVC_PORT or SVC_ADMIN_PORT to another one.`
  }
  if (code === 'EACCES')
    return `Not allowed to use ${port === undefined ? message : `port ${port}`}.`
  if (code === 'store_unavailable') return `The store cannot be used: ${message}`
  return stack ?? message ?? String(error)
}
