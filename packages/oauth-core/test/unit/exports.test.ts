import { expect } from 'chai'
import * as exported from '../../src/index.ts'

describe('@svc/oauth-core', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).sort()).to.deep.equal([
      'APPLE_ROOTS',
      'AttestationError',
      'CONSENT_DURATIONS',
      'DEFAULT_LIFETIMES',
      'DEFAULT_LIMITS',
      'ERRORS',
      'GOOGLE_ROOTS',
      'KIND_GROUPS',
      'OAUTH_LOG_EVENTS',
      'OAUTH_RECORDS',
      'OAuthError',
      'RIGHTS',
      'VERBS',
      'checkClientDocument',
      'createOAuth',
      'formActionSource',
      'insufficientScope',
      'isAttestationError',
      'kindGroupOf',
      'linkedSlug',
      'localType',
      'manifestPermissions',
      'parseCategories',
      'parseScope',
      'refusalResponse',
      'resolveFlagship',
      'rightsOf',
      'sealingKeys',
      'sendRefusal',
      'serializeScope',
      'verifyAppAttest',
      'verifyPlayIntegrity',
      'verifySafetyNet',
    ])
  })
})
