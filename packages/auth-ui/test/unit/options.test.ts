import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const folder = mkdtempSync(join(tmpdir(), 'svc-options-'))
let files = 0
const styleFile = (sheet: string): string => {
  const file = join(folder, `${(files += 1)}.css`)
  writeFileSync(file, sheet)
  return file
}
after(() => rmSync(folder, { recursive: true, force: true }))

/** Style sheets that load something, or end the page that they stand in. */
const STYLES: readonly (readonly [problem: string, sheet: string])[] = [
  ['must not hold @import', '@IMPORT "a.css";'],
  ['must not hold a backslash', 'a{background:u\\72l(/a.png)}'],
  ['may have url() of data:image/svg+xml alone', 'a{background:url(/a.png)}'],
  ['may have url() of data:image/svg+xml alone', 'a{background:URL( "https://evil.example/a")}'],
  ['may have url() of data:image/svg+xml alone', 'a{background:url(data:text/html,x)}'],
  ['may load images by url() alone', 'a{background:image-set("/a.png" 1x)}'],
  ['must not hold markup of a page', 'a{}</STYLE><script>'],
  ['has more than 10000 bytes', 'a'.repeat(10_001)],
]
/** Texts that cannot stand in the place of ours. */
const TEXTS: readonly (readonly [key: string, problem: string, text: string])[] = [
  ['login.title', 'must not be empty', ' '],
  ['login.title', 'must not hold HTML', 'Log <b>in</b>'],
  ['login.title', 'is no ICU message', 'Log in {'],
  ['login.title', 'has placeholders that the text does not have: {name}', 'Hello {name}'],
  ['consent.title', 'lacks placeholders: {name}', 'Allow it?'],
  ['consent.title', 'uses placeholders as what they are not: {name}', '{name, number}'],
]

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
    ['options.passphrase.revokeOAuthOnReset', { passphrase: { revokeOAuthOnReset: 'everything' } }],
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
    ['options.theme.scheme: must be "auto", "light" or "dark"', { theme: { scheme: 'sepia' } }],
    ['options.theme.cssFile: must be an absolute path', { theme: { cssFile: 'own.css' } }],
    ['options.theme.cssFile: cannot be read: ENOENT', { theme: { cssFile: '/none/own.css' } }],
    ['options.theme: must be', { theme: 'dark' }],
    ...STYLES.map(([problem, sheet]): [string, object] => [
      `options.theme.cssFile: ${problem}`,
      { theme: { cssFile: styleFile(sheet) } },
    ]),
    ['options.slots.page: unknown', { slots: { page: () => [] } }],
    ['options.slots.login.befor: unknown, did you mean', { slots: { 'login.befor': () => [] } }],
    [
      'options.texts.en.login.titel: unknown, did you mean login.title?',
      { texts: { en: { 'login.titel': 'x' } } },
    ],
    ['options.texts.nl: is no language of the pages', { texts: { nl: { 'login.title': 'x' } } }],
    ['options.texts.en-: is not a name', { texts: { 'en-': {} } }],
    ...TEXTS.map(([key, problem, text]): [string, object] => [
      `options.texts.en.${key}: ${problem}`,
      { texts: { en: { [key]: text } } },
    ]),
    [
      'options.locales.nl.messages: lacks page.title, page.instance,',
      { locales: { nl: { messages: {} } } },
    ],
    ['options.locales.nl.home: lacks home.title', { locales: { nl: { messages: {} } } }],
    [
      'options.locales.nl.messages.login.titel: unknown, did you mean login.title?',
      { locales: { nl: { messages: { 'login.titel': 'x' }, partial: true } } },
    ],
    [
      'options.locales.nl.settings.app.titel: unknown, did you mean app.title?',
      { locales: { nl: { messages: {}, settings: { 'app.titel': 'x' }, partial: true } } },
    ],
    [
      'options.locales.nl.settings.overview.others_one: has placeholders',
      {
        locales: {
          nl: { messages: {}, settings: { 'overview.others_one': '{x}' }, partial: true },
        },
      },
    ],
    ['options.locales.nl.dir: must be', { locales: { nl: { messages: {}, dir: 'up' } } }],
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
