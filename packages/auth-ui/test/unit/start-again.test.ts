import { Parameters, type RouteContext } from '@svc/oauth-core'
import { expect } from 'chai'
import { AuthUiError, type AuthUiErrorCode } from '../../src/errors.ts'
import { wayOn } from '../../src/start-again.ts'

function request(method: string, path: string, { query = '', form = '' } = {}): RouteContext {
  const state = { query: Parameters.parse(query), form: Parameters.parse(form) }
  // The parts of a context that are looked at.
  return { method, path, querystring: query, state } as unknown as RouteContext
}

const CASES: readonly (readonly [
  what: string,
  ctx: RouteContext,
  code: AuthUiErrorCode,
  href: string,
  label: string,
])[] = [
  [
    'a consent whose form token died, with the whole request',
    request('POST', '/auth/authorize', {
      form: 'csrf_token=x&client_id=c&state=a%26b&redirect_uri=app%3A%2F%2Fcb&scope=s&response_type=code&consent=y',
    }),
    'csrf_invalid',
    '/auth/authorize?client_id=c&state=a%26b&redirect_uri=app%3A%2F%2Fcb&scope=s&response_type=code',
    'retry',
  ],
  [
    'a log-in whose form token died, with its target',
    request('POST', '/auth/login', { form: 'csrf_token=x&passphrase=p&redirect=drive%2F%23a' }),
    'csrf_invalid',
    '/auth/login?redirect=drive%2F%23a',
    'retry',
  ],
  [
    'a dead second step, with its target',
    request('POST', '/auth/twofactor', { form: 'two-factor-token=t&redirect=drive' }),
    'two_factor_expired',
    '/auth/login?redirect=drive',
    'login',
  ],
  [
    'a confirmation, with its state',
    request('POST', '/auth/confirm', { form: 'state=s1&redirect=drive&passphrase=p' }),
    'csrf_missing',
    '/auth/confirm?state=s1&redirect=drive',
    'retry',
  ],
  [
    'a magic link that was used, with its target',
    request('GET', '/auth/magic_link', { query: 'code=abc&redirect=drive' }),
    'invalid_magic_code',
    '/auth/login?redirect=drive',
    'login',
  ],
  [
    'a magic link whose form token died, with its code',
    request('POST', '/auth/magic_link/twofactor', { form: 'magic_code=abc&redirect=drive' }),
    'csrf_invalid',
    '/auth/magic_link?code=abc&redirect=drive',
    'retry',
  ],
  [
    'a reset link that was used',
    request('GET', '/auth/passphrase_renew', { query: 'token=abc&from=settings' }),
    'invalid_token',
    '/auth/passphrase_reset?from=settings',
    'reset',
  ],
  [
    'an onboarding whose form token died, with its token',
    request('POST', '/settings/passphrase', { form: 'register_token=abc&redirection=drive' }),
    'csrf_invalid',
    '/auth/passphrase?registerToken=abc&redirection=drive',
    'retry',
  ],
  [
    'an onboarding with a bad token: nothing but the front door',
    request('POST', '/settings/passphrase', { form: 'register_token=abc' }),
    'invalid_token',
    '/',
    'home',
  ],
  [
    'a busy moment of a page that is fetched',
    request('GET', '/', { query: 'a=b' }),
    'busy',
    '/?a=b',
    'retry',
  ],
  [
    'a bad address: not to it again',
    request('GET', '/auth/login', { query: 'redirect=%2F%2Fevil.example' }),
    'bad_redirect',
    '/',
    'home',
  ],
]

describe('wayOn', () => {
  for (const [what, ctx, code, href, label] of CASES) {
    it(`leads from ${what}`, () => {
      expect(wayOn(ctx, new AuthUiError(code))).to.deep.equal({ href, label })
    })
  }

  it('never carries a passphrase, a passcode or a form token', () => {
    for (const path of ['/auth/login', '/auth/confirm', '/auth/twofactor', '/auth/authorize']) {
      const form = 'passphrase=hunter2&two-factor-passcode=123456&csrf_token=tok'
      const { href } = wayOn(request('POST', path, { form }), new AuthUiError('csrf_invalid'))
      expect(href).to.not.match(/tok|hunter2|123456/)
    }
  })
})
