import { expect } from 'chai'
import * as exported from '../../src/index.ts'

describe('@svc/oauth-core', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).sort()).to.deep.equal([
      'DEFAULT_LIFETIMES',
      'DEFAULT_LIMITS',
      'ERRORS',
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
      'insufficientScope',
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
      'serializeScope',
      'setBaseHeaders',
      'setEndpointHeaders',
    ])
  })
})
