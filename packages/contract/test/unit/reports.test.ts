import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { CATALOGUE, exitCodeOf, writeReport } from '../../src/index.ts'
import { badgeJson, badgeSvg } from '../../src/report/badge.ts'
import type { Exchange } from '../../src/model/exchange.ts'
import type { Verdict } from '../../src/model/check.ts'
import { learnFrom } from '../../src/net/learn.ts'
import { Secrets } from '../../src/net/secrets.ts'
import { withExpected } from '../../src/run/expected.ts'
import { htmlReport } from '../../src/report/html.ts'
import { reportOf, verdict } from '../support/reports.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A value in each place where a secret may stand. */
const PLANTED = {
  bearer: 'planted-bearer-token',
  basic: 'cGxhbnRlZDpiYXNpYw==',
  cookie: 'planted-cookie-value',
  csrf: 'planted&csrf<token>"',
  code: 'planted+code/value=',
  access: 'planted.access.token',
  secret: 'planted-client-secret',
  passphrase: 'planted passphrase of the owner',
}

const EXCHANGE: Exchange = {
  label: 'tok.exchange',
  at: 0,
  ms: 1,
  request: {
    method: 'POST',
    url: `https://host.example/auth?session_code=${encodeURIComponent(PLANTED.code)}`,
    headers: [
      ['Authorization', `Bearer ${PLANTED.bearer}`],
      ['Authorization', `Basic ${PLANTED.basic}`],
      ['Cookie', `sessid=${PLANTED.cookie}; other=1`],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: new URLSearchParams({ client_secret: PLANTED.secret }).toString(),
  },
  answer: {
    status: 400,
    headers: [
      ['Content-Type', 'text/html'],
      ['Set-Cookie', `sessid=${PLANTED.cookie}; HttpOnly`],
      ['Location', `https://client.example/?code=${encodeURIComponent(PLANTED.code)}#`],
    ],
    body: `<input type="hidden" name="csrf_token" value="planted&amp;csrf&lt;token&gt;&quot;"> ${PLANTED.access} ${PLANTED.passphrase}`,
  },
}

describe('reports', () => {
  const folder = tempFolder()

  it('show no secret that was sent or received, in any format', () => {
    const secrets = new Secrets()
    secrets.learn('passphrase', PLANTED.passphrase)
    secrets.learn('access_token', PLANTED.access)
    secrets.learn('csrf_token', PLANTED.csrf)
    learnFrom(secrets, EXCHANGE)
    const report = reportOf([verdict('failed')], secrets.redactAll([EXCHANGE]))
    for (const format of ['json', 'junit', 'tap', 'html']) {
      writeReport(report, { format, file: path.join(folder(), format) })
    }
    const files = readdirSync(folder())
    expect(files).to.have.lengthOf(6)
    for (const file of files) {
      const text = readFileSync(path.join(folder(), file), 'utf8')
      for (const [name, value] of Object.entries(PLANTED)) {
        for (const form of [value, encodeURIComponent(value)]) {
          expect(text.includes(form), `${name} in ${file}`).to.equal(false)
        }
      }
    }
    expect(readFileSync(path.join(folder(), 'json'), 'utf8')).to.include('<client_secret 1>')
  })

  it('gives one value one name, so that equal values stay equal', () => {
    const secrets = new Secrets()
    secrets.learn('code', 'first-of-two')
    secrets.learn('code', 'second-of-two')
    secrets.learn('code', 'first-of-two')
    expect(secrets.redact('first-of-two second-of-two first-of-two')).to.equal(
      '<code 1> <code 2> <code 1>',
    )
  })
})

describe('the page', () => {
  it('is no larger than 400 kB however much went wrong, with every check at its anchor', () => {
    const answer = { status: 500, headers: [], body: '&'.repeat(50_000) }
    const verdicts = CATALOGUE.map(({ id }) => ({
      ...verdict('failed', 'must', id),
      reason: '<'.repeat(5000).slice(0, id.startsWith('TOK') ? 5000 : 10),
    }))
    const page = htmlReport(reportOf(verdicts, [{ ...EXCHANGE, answer }]))
    expect(Buffer.byteLength(page)).to.be.at.most(400_000)
    for (const { id } of CATALOGUE) expect(page).to.include(`<details id="${id}" open>`)
    // The first failures have what was asked and answered.
    expect(page).to.include('<h2>tok.exchange</h2>')
    expect(page).to.not.match(/(src|href)=|<script|@import|url\(/)
  })
})

describe('the badge', () => {
  for (const [what, report, color] of [
    ['green when every must passed', reportOf([verdict('passed')], []), 'green'],
    ['red when a must failed', reportOf([verdict('passed'), verdict('failed')], []), 'red'],
    ['red when nothing was judged', reportOf([verdict('skipped')], []), 'red'],
    [
      'red when a scenario stopped',
      {
        ...reportOf([verdict('passed')], []),
        recording: { ...reportOf([], []).recording, stopped: { rev: 'no answer in time' } },
      },
      'red',
    ],
  ] as const) {
    it(`is ${what}`, () => {
      expect(JSON.parse(badgeJson(report))).to.include({ color, label: 'contract svc 1.0' })
      expect(badgeSvg(report)).to.include('contract svc 1.0')
    })
  }
})

describe('the exit code', () => {
  const cases: [string, readonly Verdict[], number][] = [
    ['is 0 when every must passed', [verdict('passed'), verdict('warning', 'should')], 0],
    ['is 1 when a must failed', [verdict('failed')], 1],
    ['is 1 when a limit came in between', [verdict('inconclusive')], 1],
    ['is 2 for a fault of the runner', [verdict('error')], 2],
    ['is 0 for a failure that is expected', expected(verdict('failed')), 0],
    ['is 1 for an expected failure that passes', expected(verdict('passed')), 1],
    [
      'is 1 for an expected failure whose day is over',
      expected(verdict('failed'), '2020-01-01'),
      1,
    ],
  ]
  for (const [what, verdicts, code] of cases) {
    it(what, () => {
      expect(exitCodeOf(reportOf(verdicts, []))).to.equal(code)
    })
  }

  it('is 3 when something could not be removed', () => {
    const made = { id: '1', kind: 'client', name: 'Contract check' } as const
    const report = reportOf([verdict('failed')], [])
    expect(exitCodeOf({ ...report, remaining: [{ made, reason: 'the answer is 500' }] })).to.equal(
      3,
    )
  })

  it('is 1 for a should whose expected failure is over, and for one that was skipped', () => {
    const over = '2020-01-01'
    for (const one of [verdict('warning', 'should'), verdict('skipped')]) {
      expect(exitCodeOf(reportOf(expected(one, over), []))).to.equal(1)
    }
    expect(exitCodeOf(reportOf(expected(verdict('skipped')), []))).to.equal(0)
  })

  it('is 2 when a scenario stopped, so that rules were not asked, unless they are expected to fail', () => {
    const stopped = (verdicts: readonly Verdict[], scenario: string) => {
      const report = reportOf(verdicts, [])
      const recording = { ...report.recording, stopped: { [scenario]: 'no answer in time' } }
      return exitCodeOf({ ...report, recording })
    }
    expect(stopped(expected(verdict('failed')), 'tok.errors')).to.equal(0)
    expect(stopped(expected(verdict('failed')), 'rev')).to.equal(2)
    expect(stopped([verdict('passed'), verdict('skipped')], 'tok')).to.equal(2)
  })
})

function expected(one: Verdict, until?: string): readonly Verdict[] {
  const known = { id: one.id, reason: 'known', ...(until !== undefined && { until }) }
  return withExpected([one], [known], new Date('2026-11-23'))
}
