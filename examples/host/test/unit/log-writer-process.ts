/*
 * Writes to the log of a process: so many lines with `fill`, one of the audit stream after each hundred; says on its
 * standard output how long its turns were and ends as the second argument says.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Logger } from '@svc/platform'
import { createLog } from '../../src/log/log.ts'

const [count = '', end = ''] = process.argv.slice(2)
const hostLog = createLog('info', { process: '0a1b2c3d' })
// As an embedder's code would write to it: any event, any fields.
const log: Logger = hostLog
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
for (let n = 0; n < Number(count); n += 1) {
  log.info('server.reloaded', { n, fill: 'x'.repeat(100) })
  if (n % 100 === 0) log.info('login.succeeded', { audit: true, n })
  if (n % 50 === 0) await new Promise(setImmediate)
}
console.log(JSON.stringify({ longestMs: Math.round(delay.max / 1e6) }))
if (end === 'hard') {
  hostLog.flushNow()
  process.kill(process.pid, 'SIGKILL')
}
if (end === 'read') {
  // The other side reads now.
  await new Promise((resolve) => process.once('message', resolve))
  log.info('server.stopping', { signal: 'SIGTERM' })
}
const began = performance.now()
await hostLog.flush()
console.log(JSON.stringify({ flushMs: Math.round(performance.now() - began) }))
process.exit(0)
