import { type HttpError, Parameters, type RouteContext } from '@svc/platform'
import { expect } from 'chai'
import type { AuthUiErrorCode } from '../../src/errors.ts'
import { nextStep } from '../../src/pages/recovery-link.ts'

function request(method: string, path: string, { query = '', form = '' } = {}): RouteContext {
  const state = { query: Parameters.parse(query), form: Parameters.parse(form) }
  // The parts of a context that are looked at.
  return { method, path, querystring: query, state } as unknown as RouteContext
}

/** As far as it is looked at. */
function refusal(code: string): HttpError {
  const status = code === 'busy' ? 503 : 400
  return Object.assign(new Error(code), { code, status, expose: true })
}

const CASES: readonly (readonly [
  what: string,
  ctx: RouteContext,
  code: AuthUiErrorCode | 'consent_outdated' | 'not_authenticated',
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
    'a login whose form token died, with its target',
    request('POST', '/auth/login', { form: 'csrf_token=x&passphrase=p&redirect=drive%2F%23a' }),
    'csrf_invalid',
    '/auth/login?redirect=drive%2F%23a',
    'retry',
  ],
  [
    'a consent page that is out of date, with the whole request',
    request('POST', '/auth/authorize', { form: 'csrf_token=x&client_id=c&state=a&consent=y' }),
    'consent_outdated',
    '/auth/authorize?client_id=c&state=a',
    'retry',
  ],
  [
    'what was ticked on a consent page that is out of date, without it',
    request('POST', '/auth/authorize', {
      form: 'client_id=c&state=a&choice=2&group-files-read=1&permission-12-read=1&permission-0=1&duration=1h',
    }),
    'consent_outdated',
    '/auth/authorize?client_id=c&state=a',
    'retry',
  ],
  [
    'a consent without a session, with the whole request',
    request('POST', '/auth/authorize', { form: 'csrf_token=x&client_id=c&state=a&consent=y' }),
    'not_authenticated',
    '/auth/authorize?client_id=c&state=a',
    'login',
  ],
  [
    'a second step whose form token died, with the step',
    request('POST', '/auth/twofactor', { form: 'csrf_token=x&two-factor-token=t' }),
    'csrf_invalid',
    '/auth/twofactor?two_factor_token=t',
    'retry',
  ],
  [
    'a code that could not be asked for again, with the step',
    request('POST', '/auth/twofactor/resend', { form: 'csrf_token=x&two-factor-token=t' }),
    'csrf_invalid',
    '/auth/twofactor?two_factor_token=t',
    'retry',
  ],
  [
    'blocked cookies, with the target',
    request('GET', '/auth/login', { query: 'redirect=drive' }),
    'cookies_blocked',
    '/auth/login?redirect=drive',
    'retry',
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
    'links that log nobody in any more, with the target',
    request('POST', '/auth/magic_link', { form: 'csrf_token=x&redirect=drive' }),
    'magic_link_disabled',
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
    'a busy moment of a path that names a host: not to that host',
    request('GET', '//evil.example/', { query: 'a=b' }),
    'busy',
    '/',
    'home',
  ],
  [
    'a busy moment of a path that browsers read as a host: not to that host',
    request('GET', '/\\evil.example/'),
    'busy',
    '/',
    'home',
  ],
  [
    'a bad address: not to it again',
    request('GET', '/auth/login', { query: 'redirect=%2F%2Fevil.example' }),
    'bad_redirect',
    '/',
    'home',
  ],
]

describe('nextStep', () => {
  for (const [what, ctx, code, href, label] of CASES) {
    it(`leads from ${what}`, () => {
      expect(nextStep(ctx, refusal(code))).to.deep.equal({ href, label })
    })
  }

  it('never carries a passphrase, a passcode or a form token', () => {
    for (const path of ['/auth/login', '/auth/confirm', '/auth/twofactor', '/auth/authorize']) {
      const form = 'passphrase=hunter2&two-factor-passcode=123456&csrf_token=tok'
      const { href } = nextStep(request('POST', path, { form }), refusal('csrf_invalid'))
      expect(href).to.not.match(/tok|hunter2|123456/)
    }
  })
})
