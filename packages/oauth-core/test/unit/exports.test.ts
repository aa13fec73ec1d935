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
      'InstanceError',
      'OAuthError',
      'Parameters',
      'VERBS',
      'appHost',
      'appOrigin',
      'createOAuth',
      'createRateLimits',
      'createSealer',
      'equalSecrets',
      'formActionSource',
      'insufficientScope',
      'isAttestationError',
      'isHttpError',
      'isSlug',
      'linkedSlug',
      'manifestPermissions',
      'mountRoutes',
      'originOfApp',
      'parseAppHost',
      'parseScope',
      'prefersJson',
      'randomAlphanumeric',
      'randomHex',
      'randomId',
      'renderError',
      'resolveFlagship',
      'serializeScope',
      'setBaseHeaders',
      'setEndpointHeaders',
      'verifyAppAttest',
      'verifyPlayIntegrity',
      'verifySafetyNet',
    ])
  })
})
