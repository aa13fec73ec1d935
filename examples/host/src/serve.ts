import process from 'node:process'
import Koa from 'koa'
import { systemClock } from '@svc/store'
import { toListener } from './app.ts'
import { ConfigError, loadConfig } from './config.ts'
import { createHealth } from './health.ts'
import { startServer } from './http-server.ts'
import { createLog } from './log.ts'
import { openStore } from './storage.ts'

/** Runs the server until a signal. */
export async function serve(): Promise<void> {
  try {
    const config = loadConfig()
    const log = createLog(config.logLevel)
    const store = await openStore(config, log, systemClock)
    const app = new Koa()
    const health = createHealth(store, systemClock)
    app.use(health.middleware)
    const running = await startServer(toListener(app), { port: config.port, host: '127.0.0.1' })
    log.info('server.started', { port: running.port })
    process.once('SIGTERM', () => {
      health.stopping()
      void running.stop(10_000).then(() => store.close())
    })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
