import type { AccessContext } from '@svc/oauth-core'
import { expect } from 'chai'
import { byAccess } from '../../../src/accounts/account-activity.ts'

describe('who the record of activity names', () => {
  it('is a client that renamed itself by both names (D103)', () => {
    const client = { id: 'c1', metadata: { client_name: 'Your Bank' }, formerName: 'Weather' }
    // The members that are read.
    const access = { client } as unknown as AccessContext
    expect(byAccess(access).actor).to.deep.equal({
      kind: 'client',
      id: 'c1',
      name: 'Your Bank',
      formerName: 'Weather',
    })
  })
})
