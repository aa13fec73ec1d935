import { expect } from 'chai'
import * as exported from '../../src/index.ts'

describe('@svc/platform', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).sort()).to.deep.equal([
      'CACHE_TRUST_MS',
      'CLOCK_SKEW_MS',
      'DAY_MS',
      'HOUR_MS',
      'InstanceError',
      'MINUTE_MS',
      'OutboundError',
      'Parameters',
      'REQUEST_ERRORS',
      'RequestError',
      'SECOND_MS',
      'appHost',
      'appOrigin',
      'compiledSchema',
      'createEmitter',
      'createFreshCache',
      'createKeyring',
      'createOutbound',
      'createPlatform',
      'createRateLimits',
      'createRevocations',
      'createSealer',
      'equalSecrets',
      'isHttpError',
      'isOutboundError',
      'isSlug',
      'mountRoutes',
      'originOfApp',
      'parseAppHost',
      'prefersJson',
      'randomAlphanumeric',
      'randomHex',
      'randomId',
      'renderError',
      'setBaseHeaders',
      'setEndpointHeaders',
      'withoutDefaultPort',
    ])
  })
})
