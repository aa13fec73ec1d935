import type { OAuth } from '@svc/oauth-core'
import { expect } from 'chai'
import { type AuthUiOptions, createAuthUi } from '../../src/index.ts'

const nothing = (): void => {}
// Faults are found before anything of it is used.
const oauth = {
  mount: nothing,
  authenticate: nothing,
  clientAddress: nothing,
  revoked: nothing,
} as unknown as OAuth
const mailer = { send: async () => {} }

describe('options of createAuthUi', () => {
  const cases: readonly [fault: string, options: object][] = [
    ['options.mailer: has no send()', { mailer: {} }],
    ['options.homeSlug: must be a slug', { homeSlug: 'Home' }],
    ['options.settingsSlug: must be a slug', { settingsSlug: '' }],
    ...['/', 'welcome', '//evil.example', '/auth/login', '/settings', '/a#b', '/a\\b'].map(
      (home): [string, object] => [
        'options.home: must be a path of the instance that is not one of this interface',
        { home },
      ],
    ),
    ['options.builtInApps.home: must be', { builtInApps: { home: 'home' } }],
    ['options.builtInApps.settings', { builtInApps: { settings: { folder: 'x' } } }],
    ['options.builtInApps.inbox: unknown', { builtInApps: { inbox: true } }],
    [
      'options.appAttributePrefix: must be of the form data-name-',
      { appAttributePrefix: 'onload=' },
    ],
    [
      'options.passphrase.threadPoolSize: must be a whole number from 1 to 1024',
      { passphrase: { threadPoolSize: 1.5 } },
    ],
    [
      'options.passphrase.waiting: must be a whole number from 0 to 10000',
      { passphrase: { waiting: -1 } },
    ],
    [
      'options.passphrase.alowRaw: unknown, did you mean allowRaw?',
      { passphrase: { alowRaw: false } },
    ],
    [
      'options.passphrase.cost.logN: must be a whole number from 10 to 20',
      { passphrase: { cost: { logN: 5, r: 8, p: 1 } } },
    ],
    [
      'options.passphrase.cost: must be a cost that checks can afford',
      { passphrase: { cost: { logN: 20, r: 64, p: 1 } } },
    ],
    ...['https://a.example', 'a.example/', 'A.example', 'a.example:443', '[::1]', '*'].map(
      (host): [string, object] => [
        'options.confirm.authorizedHosts[0]: must be a host, or a host with a port',
        { confirm: { authorizedHosts: [host] } },
      ],
    ),
    [
      'options.lifetimes.csrf: must be a whole number of milliseconds',
      { lifetimes: { csrf: '1h' } },
    ],
    [
      'options.limits.auth.windowMs: is missing; must be a whole number of milliseconds',
      { limits: { auth: { limit: 1 } } },
    ],
    ['options.limits.other: unknown', { limits: { other: { limit: 1, windowMs: 1000 } } }],
    ['options.hooks.onLogIn: unknown, did you mean onLogin?', { hooks: { onLogIn: () => {} } }],
    ['options.raiseLimitUrl: must be an absolute URL or a function', { raiseLimitUrl: '/raise' }],
    ['options.mailr: unknown, did you mean mailer?', { mailr: mailer }],
    ['options.permissionTexts: must be an object', { permissionTexts: [] }],
    ['options.permissionTexts.a.b: must be an object', { permissionTexts: { 'a.b': 'x' } }],
    [
      'options.permissionTexts.a.b.en.name: is missing; must be a text of 1 to 200 characters',
      { permissionTexts: { 'a.b': { en: { read: 'x' } } } },
    ],
    [
      'options.permissionTexts.a.b.en.name: must be a text of 1 to 200 characters',
      { permissionTexts: { 'a.b': { en: { name: '' } } } },
    ],
    [
      'options.permissionTexts.a.b.en.see: unknown',
      { permissionTexts: { 'a.b': { en: { name: 'x', see: 'y' } } } },
    ],
    [
      'options.permissionTexts.a.b.en.name: must be a text of 1 to 200 characters',
      { permissionTexts: { 'a.b': { en: { name: 'x'.repeat(201) } } } },
    ],
    ['options.theme.accent: must be #rgb or #rrggbb', { theme: { accent: 'red' } }],
    ['options.theme.accent: is too light to be read on white', { theme: { accent: '#ffee00' } }],
    [
      'options.theme.accent: must be #rgb or #rrggbb',
      { theme: { accent: '#000}body{display:none' } },
    ],
    ['options.theme.radius: must be a CSS length such as 8px', { theme: { radius: '1rem;}' } }],
    ['options.theme.radius: must be a CSS length', { theme: { radius: 'calc(1px)' } }],
    [
      'options.theme.logoPath: must be a path of the instance',
      { theme: { logoPath: 'https://cdn.example/logo.png' } },
    ],
    ['options.theme.logoPath: must be', { theme: { logoPath: '//cdn.example/logo.png' } }],
    [
      'options.theme.links[0].href: must be a web address or a path of the instance',
      { theme: { links: [{ label: 'x', href: 'javascript:alert(1)' }] } },
    ],
  ]
  for (const [fault, options] of cases) {
    it(`are refused: ${fault}`, () => {
      // Wrong on purpose.
      const wrong = { oauth, mailer, ...options } as AuthUiOptions
      expect(() => createAuthUi(wrong)).to.throw(TypeError, fault)
    })
  }

  it('are refused with all faults at once, also when there are none', () => {
    const wrong = { oauth, mailer, homeSlug: '-', settingsSlug: '-' }
    expect(() => createAuthUi(wrong)).to.throw(
      'options.homeSlug: must be a slug\noptions.settingsSlug: must be a slug',
    )
    for (const given of [{}, undefined]) {
      // Callers without types exist.
      expect(() => createAuthUi(given as never)).to.throw(
        /^options\.oauth: is missing; .*\noptions\.mailer: is missing; must be an object with send$/,
      )
    }
  })
})
