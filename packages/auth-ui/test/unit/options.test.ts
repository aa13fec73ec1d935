import type { OAuth } from '@svc/oauth-core'
import { expect } from 'chai'
import { type AuthUiOptions, createAuthUi } from '../../src/index.ts'

// Faults are found before anything of it is used.
const oauth = {} as OAuth
const mailer = { send: async () => {} }

describe('options of createAuthUi', () => {
  const cases: readonly [fault: string, options: object][] = [
    ['options.mailer: has no send', { mailer: {} }],
    ['options.homeSlug: not a slug', { homeSlug: 'Home' }],
    ['options.settingsSlug: not a slug', { settingsSlug: '' }],
    ['options.appAttributePrefix: not of the form data-name-', { appAttributePrefix: 'onload=' }],
    [
      'options.passphrase.threadPoolSize: not a whole number',
      { passphrase: { threadPoolSize: 1.5 } },
    ],
    ['options.passphrase.waiting: not a whole number', { passphrase: { waiting: -1 } }],
    [
      'options.passphrase.cost: not a usable cost',
      { passphrase: { cost: { logN: 5, r: 8, p: 1 } } },
    ],
    [
      'options.passphrase.cost: not a usable cost',
      { passphrase: { cost: { logN: 20, r: 64, p: 1 } } },
    ],
    ...['https://a.example', 'a.example/', 'A.example', 'a.example:443', '[::1]', '*'].map(
      (host): [string, object] => [
        `options.confirm.authorizedHosts: not a host: "${host}"`,
        { confirm: { authorizedHosts: [host] } },
      ],
    ),
    ['options.lifetimes.csrf: not a whole number', { lifetimes: { csrf: '1h' } }],
    ['options.limits.auth: not a known bucket', { limits: { auth: { limit: 1 } } }],
    ['options.limits.other: not a known bucket', { limits: { other: { limit: 1, windowMs: 1 } } }],
  ]
  for (const [fault, options] of cases) {
    it(`are refused: ${fault}`, () => {
      // Wrong on purpose.
      const wrong = { oauth, mailer, ...options } as AuthUiOptions
      expect(() => createAuthUi(wrong)).to.throw(TypeError, fault)
    })
  }

  it('are refused with all faults at once', () => {
    const wrong = { oauth, mailer, homeSlug: '-', settingsSlug: '-' }
    expect(() => createAuthUi(wrong)).to.throw(/options\.homeSlug.*options\.settingsSlug/)
  })
})
