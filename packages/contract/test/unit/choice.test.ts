import { expect } from 'chai'
import { CannotRun, replay } from '../../src/index.ts'
import type { Exchange } from '../../src/model/exchange.ts'
import type { Selection } from '../../src/model/selection.ts'
import { chosenChecks } from '../../src/run/chosen.ts'
import { judgeAll } from '../../src/run/verdicts.ts'
import { profileOf, reportOf } from '../support/reports.ts'

describe('a choice of checks', () => {
  const faults: readonly (readonly [what: string, selection: Selection, words: RegExp])[] = [
    ['a group that there is not', { groups: ['tok'] }, /no group tok/],
    ['a level that there is not', { levels: ['musts'] }, /no level musts/],
    ['a pattern of no check', { only: ['TOK-9*'] }, /TOK-9\* is no check/],
    ['an exception of no check', { except: ['TOK-999'] }, /TOK-999 is no check/],
    ['a catalogue that is to come', { catalogue: '99.0' }, /no catalogue 99\.0/],
    ['a catalogue that is no version', { catalogue: 'newest' }, /no catalogue newest/],
    ['nothing that is left', { only: ['TOK-001'], except: ['TOK-*'] }, /Nothing is left/],
  ]
  for (const [what, selection, words] of faults) {
    it(`is refused for ${what}`, () => {
      expect(() => chosenChecks(profileOf('svc'), selection)).to.throw(CannotRun, words)
    })
  }

  it('is made by what a check counts in the profile', () => {
    const musts = chosenChecks(profileOf('seed'), { levels: ['must'] })
    const shoulds = chosenChecks(profileOf('seed'), { levels: ['should'] })
    expect(musts.some(({ basis }) => basis === 'clients')).to.equal(false)
    expect(shoulds.some(({ basis, level }) => basis === 'clients' && level === 'must')).to.equal(
      true,
    )
  })

  it('keeps to an older catalogue', () => {
    const older = chosenChecks(profileOf('svc'), { catalogue: '1.0' })
    expect(older.filter(({ since }) => since === '1.1')).to.deep.equal([])
    expect(older.length).to.be.below(chosenChecks(profileOf('svc'), { catalogue: '1.1' }).length)
  })
})

describe('a saved run that is judged again', () => {
  it('is judged by the choice, the catalogue and the failures that are expected now', async () => {
    const saved = reportOf([], [])
    const report = await replay(saved, profileOf('seed'), {
      selection: { groups: ['REV'], catalogue: '1.0' },
      expected: [{ id: 'REV-001', reason: 'known', until: '2020-01-01' }],
    })
    expect(report).to.include({ profile: 'seed', catalogue: '1.0' })
    expect(new Set(report.verdicts.map(({ group }) => group))).to.deep.equal(new Set(['REV']))
    expect(report.verdicts.find(({ id }) => id === 'REV-001')?.outcome).to.equal('failed')
    const error = await replay(saved, profileOf('svc'), {
      expected: [{ id: 'XYZ-001', reason: 'known' }],
    }).catch((one: unknown) => one)
    expect(error).to.be.instanceOf(CannotRun)
  })
})

describe('what a profile says that the server does not have', () => {
  const asked = (status: number): Exchange => ({
    label: 'rtm.plain',
    at: 0,
    ms: 1,
    request: { method: 'GET', url: 'https://host.example/realtime/?x=1', headers: [] },
    answer: { status, headers: [], body: '' },
  })
  async function outcomes(status: number): Promise<ReadonlySet<string | undefined>> {
    const profile = profileOf('svc')
    const checks = chosenChecks(profile, { groups: ['RTM'] })
    const { recording } = reportOf([], [asked(status)])
    const verdicts = await judgeAll(checks, recording, profile)
    return new Set(verdicts.map(({ outcome, reason }) => `${outcome}: ${reason}`))
  }

  it('is a failure, not a skip, when nothing is found there', async () => {
    expect([...(await outcomes(404))]).to.include(
      'failed: the profile says realtime, the server does not have it',
    )
    const others = [...(await outcomes(404))].filter(
      (one) => one?.includes('the profile says') === false,
    )
    expect(others).to.deep.equal([])
  })

  it('is no failure of that kind when it answers anything else', async () => {
    const said = [...(await outcomes(426))]
    expect(said.some((one) => one?.includes('the profile says'))).to.equal(false)
  })
})
