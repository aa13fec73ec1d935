import { expect } from 'chai'
import type { Client } from '../../../src/clients/client.ts'
import { OAuthError } from '../../../src/errors.ts'
import { ForbiddenScopes } from '../../../src/scopes/forbidden.ts'
import { grantableScope } from '../../../src/registration/grantable-scope.ts'

const rules = {
  namespace: 'io.svc',
  forbidden: new ForbiddenScopes('io.svc'),
  flagship: { skipCertification: false },
}
const client = (software_id: string, flagship = false): Client =>
  ({ metadata: { software_id }, flagship }) as unknown as Client // All that is read.
const OTHER = 'github.com/example/client'

describe('grantableScope', () => {
  const granted: readonly (readonly [string, Client, string, string])[] = [
    ['what is asked for', client(OTHER), 'io.svc.files:GET', 'io.svc.files:GET'],
    ['everything to a certified client', client(OTHER, true), '*', '*'],
    ['a linked client what its app has', client('registry://drive'), '*', '@io.svc.apps/drive'],
    [
      'a certified linked client no more',
      client('registry://drive', true),
      '*',
      '@io.svc.apps/drive',
    ],
  ]
  for (const [what, of, asked, scope] of granted) {
    it(`gives ${what}`, () => {
      expect(grantableScope(rules, of, asked)).to.equal(scope)
    })
  }

  for (const asked of ['*', 'not a scope!', '', 'io.svc.sessions', '* io.svc.files']) {
    it(`refuses ${JSON.stringify(asked)} to a client that is not certified`, () => {
      expect(() => grantableScope(rules, client(OTHER), asked))
        .to.throw(OAuthError)
        .with.property('code', 'invalid_scope')
    })
  }
})
