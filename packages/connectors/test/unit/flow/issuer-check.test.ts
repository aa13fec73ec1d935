import type { Logger } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { PendingFlow } from '../../../src/flow/flow-store.ts'
import { isFromIssuer, warnOfStrangeIssuer } from '../../../src/flow/issuer-check.ts'
import { sampleInstance } from '../../support/sample-instance.ts'
import { sampleType } from '../../support/sample-type.ts'

const ISSUER = 'https://provider.example'
const FLOW: PendingFlow = {
  v: 1,
  instance: sampleInstance().id,
  accountType: 'bank',
  kind: 'create',
  clientState: '',
  nonce: '',
  slug: 'home',
  scope: '',
  redirectUri: 'https://alice.example.com/accounts/bank/redirect',
  createdAt: 0,
}

async function check(
  flow: Partial<PendingFlow>,
  iss?: string,
): Promise<{ isFrom: boolean; warnings: string[] }> {
  const warnings: string[] = []
  const log: Logger = { info() {}, warn: (event) => warnings.push(event), error() {} }
  const usable = {
    type: sampleType(),
    authEndpoint: `${ISSUER}/authorize`,
    isClientSide: false,
    metadata: undefined,
  }
  const query = new Map(iss === undefined ? [] : [['iss', iss]])
  const asked = { ...FLOW, ...flow }
  warnOfStrangeIssuer(asked, usable, query, log)
  return { isFrom: await isFromIssuer(asked, query), warnings }
}

/** connectors.md 5.3; RFC 9207 */
describe('isFromIssuer', () => {
  for (const [what, iss, isFrom] of [
    ['the issuer itself', ISSUER, true],
    ['nobody', undefined, true],
    ['another issuer', 'https://evil.example', false],
    ['the issuer with a slash more', `${ISSUER}/`, false],
    ['the issuer in capitals', ISSUER.toUpperCase(), false],
    ['an empty name', '', false],
  ] as const) {
    it(`${isFrom ? 'takes' : 'refuses'} an answer that names ${what}, of a known issuer`, async () => {
      expect((await check({ issuer: ISSUER }, iss)).isFrom).to.equal(isFrom)
    })
  }

  it('refuses an answer that names nobody when the provider says that its answers do', async () => {
    expect((await check({ issuer: ISSUER, sendsIssuer: true })).isFrom).to.equal(false)
    expect((await check({ issuer: ISSUER, sendsIssuer: true }, ISSUER)).isFrom).to.equal(true)
  })

  it('ignores the name when no issuer is known, and warns of another origin', async () => {
    expect(await check({}, `${ISSUER}/any`)).to.deep.equal({ isFrom: true, warnings: [] })
    expect(await check({}, 'https://evil.example')).to.deep.equal({
      isFrom: true,
      warnings: ['account.strange_issuer'],
    })
    expect((await check({}, 'not an address')).warnings).to.have.length(1)
  })
})
