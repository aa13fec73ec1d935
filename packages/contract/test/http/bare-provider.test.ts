import { expect } from 'chai'
import { exitCodeOf, run } from '../../src/index.ts'
import { bareProvider } from '../support/bare-provider.ts'
import { profileOf } from '../support/reports.ts'

/** Fewer would mean that a scenario was not run. */
const LEAST = 95

describe('the contract, against a server that is not ours', function () {
  this.timeout(60_000)

  it('holds on a bare oidc-provider as far as RFCs go', async () => {
    const profile = profileOf('core-oauth')
    const target = await bareProvider()
    const report = await run({ target, passphrase: 'anything', profile })
    const failed = report.verdicts.filter(({ outcome }) => outcome !== 'passed')
    const others = failed.filter(({ outcome }) => outcome !== 'skipped')
    expect(others.map(({ id, reason }) => `${id}: ${reason}`)).to.deep.equal([])
    expect(report.recording.stopped).to.deep.equal({})
    expect(report.verdicts.length - failed.length).to.be.at.least(LEAST)
    expect(exitCodeOf(report)).to.equal(0)
  })
})
