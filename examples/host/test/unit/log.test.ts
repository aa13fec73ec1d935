import type { Logger } from '@svc/platform'
import { expect } from 'chai'
import { createLog } from '../../src/log/log.ts'

function record(level: Parameters<typeof createLog>[0] = 'debug') {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  const hostLog = createLog(level, { destination, process: '0a1b2c3d' })
  // As an embedder's code would write to it: any event, any fields.
  const log: Logger = hostLog
  return { hostLog, log, lines }
}

describe('the log', () => {
  it('writes one JSON object a line, with the time in UTC and the event', () => {
    const { log, lines } = record()
    log.warn('login.failed', { domain: 'alice.example.com', reason: 'invalid_passphrase' })
    expect(lines).to.have.lengthOf(1)
    expect(lines[0]).to.match(/^\{.*\}\n$/)
    const line = JSON.parse(lines[0] ?? '') as Record<string, string>
    expect(line).to.include({ level: 'warn', event: 'login.failed', domain: 'alice.example.com' })
    expect(line['time']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(line['process']).to.equal('0a1b2c3d')
    expect(line).to.not.have.any.keys('pid', 'hostname')
  })

  it('names each process by eight random hexadecimal digits, unless it is told', () => {
    const lines: string[] = []
    const destination = { write: (line: string) => lines.push(line) }
    for (let n = 0; n < 2; n += 1) createLog('info', { destination }).info('server.stopped')
    const names = lines.map((line) => (JSON.parse(line) as { process: string }).process)
    for (const name of names) expect(name).to.match(/^[0-9a-f]{8}$/)
    expect(names[0]).to.not.equal(names[1])
  })

  it('keeps what comes from outside on its line', () => {
    const { log, lines } = record()
    log.info('http.request', {
      userAgent: 'a\n{"level":"info","event":"login.succeeded"}\u2028\u001b[31m',
    })
    expect(lines.join('').trim().split('\n')).to.have.lengthOf(1)
    expect(lines[0]).to.not.include('\u001b')
  })

  for (const name of [
    'access_token',
    'authorization',
    'client_secret',
    'cookie',
    'email',
    'passcode',
    'passphrase',
    'refresh_token',
    'secret',
    'token',
  ]) {
    it(`never writes a member called ${name}`, () => {
      const { log, lines } = record()
      log.error('request.failed', { [name]: 'hunter2', body: { [name]: 'hunter2' } })
      expect(lines[0]).to.not.include('hunter2')
      expect(lines[0]).to.include('[redacted]')
    })
  }

  it('keeps the code of an error, not that of a request', () => {
    const { log, lines } = record()
    log.error('store.down', { err: { code: 'ECONNREFUSED' }, query: { code: 'hunter2' } })
    expect(lines[0]).to.include('ECONNREFUSED').and.to.not.include('hunter2')
  })

  it('says only what the level asks for', () => {
    const { hostLog, log, lines } = record('warn')
    hostLog.debug?.('http.request', {})
    log.info('b')
    log.warn('c')
    hostLog.store.error({ event: 'store.down' }, 'the store is down')
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).to.deep.equal([
      'c',
      'store.down',
    ])
  })
})
