import { expect } from 'chai'
import { describe, it } from 'mocha'
import { errorOfExchange, errorOfRedirect } from '../../../src/flow/flow-outcome.ts'

/** connectors.md 4.6 */
describe('errors of providers', () => {
  for (const [error, told] of [
    ['access_denied', 'access_denied'],
    ['user_denied', 'access_denied'],
    ['user_cancelled_login', 'access_denied'],
    ['user_cancelled_authorize', 'access_denied'],
    ['consent_declined', 'access_denied'],
    ['server_error', 'provider_unavailable'],
    ['temporarily_unavailable', 'provider_unavailable'],
    ['invalid_scope', 'provider_error'],
    ['__proto__', 'provider_error'],
    ['constructor', 'provider_error'],
    ['ACCESS_DENIED', 'provider_error'],
  ] as const) {
    it(`of a redirect: ${error} is told as ${told}`, () => {
      expect(errorOfRedirect(error)).to.equal(told)
    })
  }

  for (const [failure, told] of [
    ['unavailable', 'provider_unavailable'],
    ['limited', 'provider_unavailable'],
    ['timeout', 'provider_timeout'],
    ['revoked', 'token_exchange_failed'],
    ['config', 'token_exchange_failed'],
    ['error', 'token_exchange_failed'],
    ['invalid', 'invalid_response'],
  ] as const) {
    it(`of an exchange: ${failure} is told as ${told}`, () => {
      expect(errorOfExchange(failure)).to.equal(told)
    })
  }
})
