import { expect } from 'chai'
import { LOG_EVENTS, LOG_TABLES } from '../../src/log/log-events.ts'
import { logFaults } from '../support/log-faults.ts'

const FIELDS = { domain: 'alice.example', code: 'wrong', address: '127.0.0.1', audit: true }

describe('the tables of log events', () => {
  it('name each event once, by words that are joined by points', () => {
    const names = Object.values(LOG_TABLES).flatMap((events) => Object.keys(events))
    expect(new Set(names).size).to.equal(names.length)
    for (const name of names) expect(name).to.match(/^[a-z][a-z_]*(\.[a-z_]+)+$/)
  })

  it('say nothing against a line that is as its row', () => {
    expect(logFaults(LOG_EVENTS, 'info', 'login.failed', FIELDS)).to.deep.equal([])
  })

  for (const [what, level, event, fields] of [
    ['an event of no table', 'info', 'login.odd', {}],
    ['another level', 'warn', 'login.failed', FIELDS],
    ['a missing field', 'info', 'login.failed', { ...FIELDS, code: undefined }],
    ['a field of another type', 'info', 'login.failed', { ...FIELDS, code: 403 }],
    ['a field that the row does not name', 'info', 'login.failed', { ...FIELDS, note: 'x' }],
    ['a missing mark of the audit stream', 'info', 'login.failed', { ...FIELDS, audit: undefined }],
    ['a wrong mark of the audit stream', 'info', 'server.stopped', { audit: true }],
  ] as const) {
    it(`tell of ${what}`, () => {
      expect(logFaults(LOG_EVENTS, level, event, fields)).to.have.lengthOf(1)
    })
  }
})
