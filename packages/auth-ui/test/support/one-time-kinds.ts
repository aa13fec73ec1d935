import type { Instance } from '@svc/platform'
import type { BrowserClient } from '@svc/testkit'
import { confirmed } from './factor-flows.ts'
import { mailsOf, requestReset } from './reset.ts'
import { passStep1, trustBrowser } from './second-step.ts'
import { LOGIN_VALUE, logIn, type UiServer } from './ui-server.ts'

/** An instance with a mail address, magic links and mailed passcodes, and who it answers to. */
export interface Place {
  readonly server: UiServer
  readonly instance: Instance
  /** Of the owner. */
  readonly loginValue?: string
  browser(): BrowserClient
}

/** A secret value that is good for one thing. */
export interface Kind {
  readonly name: string
  make(place: Place): Promise<string>
  /** Whether the value is good where it belongs; may use it up. */
  accepts(place: Place, value: string): Promise<boolean>
  /** A request for where it belongs that must use nothing up: another method, another origin. */
  probes(value: string): readonly Probe[]
}

export interface Probe {
  readonly method: string
  readonly url: string
  readonly fields?: Readonly<Record<string, string>>
}

const EVIL = 'https://evil.example'

/** Every kind there is, apart from those bound to a host of apps (`app-hosts.test.ts`). */
export const KINDS: readonly Kind[] = [
  {
    name: 'session code',
    make: ({ server, instance }) => server.ui.owners.createSessionCode(instance),
    async accepts(place, value) {
      const answer = await place.browser().get(`${appOf(place)}/?session_code=${value}`)
      return answer.setCookie('svcsessid') !== undefined
    },
    probes: () => [],
  },
  {
    name: 'magic code',
    make: async ({ server, instance }) =>
      (await server.ui.owners.createMagicLinkCode(instance)).code,
    async accepts({ browser }, value) {
      return (await browser().get(`/auth/magic_link?code=${value}`)).status === 200
    },
    probes: (code) => [
      { method: 'HEAD', url: `/auth/magic_link?code=${code}` },
      { method: 'POST', url: '/auth/magic_link/open', fields: { code } },
      {
        method: 'POST',
        url: '/auth/magic_link/twofactor',
        fields: { magic_code: code, passphrase: LOGIN_VALUE },
      },
    ],
  },
  {
    name: 'email_verified_code',
    make: ({ server, instance }) => server.ui.owners.createEmailVerifiedCode(instance),
    async accepts({ browser, loginValue = LOGIN_VALUE }, value) {
      const fields = { passphrase: loginValue, email_verified_code: value }
      return (await logIn(browser(), fields)).status === 302
    },
    probes: (value) => [
      { method: 'HEAD', url: `/auth/login?email_verified_code=${value}` },
      {
        method: 'POST',
        url: '/auth/login',
        fields: { passphrase: LOGIN_VALUE, email_verified_code: value },
      },
    ],
  },
  {
    name: 'confirmation code',
    async make({ server, browser }) {
      return (await confirmed(server, undefined, 'drive', browser())).confirmation_code
    },
    async accepts({ browser }, value) {
      return (await browser().get(`/auth/confirm/${value}`)).status === 204
    },
    probes: (value) => [{ method: 'HEAD', url: `/auth/confirm/${value}` }],
  },
  {
    name: 'reset token',
    async make({ server, instance, browser }) {
      await requestReset(browser())
      const urls = mailsOf(server, 'passphrase_reset').map(({ variables }) => variables.url)
      const url = urls.findLast((each) => each.startsWith(instance.origin)) ?? ''
      return new URL(url).searchParams.get('token') ?? ''
    },
    async accepts({ browser }, value) {
      return (await browser().get(`/auth/passphrase_renew?token=${value}`)).status === 200
    },
    probes: (token) => [
      { method: 'HEAD', url: `/auth/passphrase_renew?token=${token}` },
      {
        method: 'POST',
        url: '/auth/passphrase_renew',
        fields: { passphrase_reset_token: token, passphrase: 'x', iterations: '50000' },
      },
    ],
  },
  {
    name: 'two-factor token',
    make: ({ browser }) => passStep1(browser()),
    async accepts({ browser }, value) {
      return (await browser().get(`/auth/twofactor?two_factor_token=${value}`)).status === 200
    },
    probes: (token) => [
      { method: 'HEAD', url: `/auth/twofactor?two_factor_token=${token}` },
      { method: 'POST', url: '/auth/twofactor', fields: { 'two-factor-token': token } },
      { method: 'POST', url: '/auth/twofactor/resend', fields: { 'two-factor-token': token } },
    ],
  },
  {
    name: 'trusted-device token',
    make: ({ server, browser }) => trustBrowser(server, browser()),
    async accepts({ browser, loginValue = LOGIN_VALUE }, value) {
      const fields = { passphrase: loginValue, 'trusted-device-token': value }
      return (await logIn(browser(), fields)).status === 302
    },
    probes: () => [],
  },
]

/** Sends a probe as another site would. */
export function fromElsewhere(browser: BrowserClient, probe: Probe): Promise<{ status: number }> {
  const { method, url, fields = {} } = probe
  if (method === 'HEAD') return browser.request('HEAD', url)
  return browser.post(url, fields, { from: EVIL })
}

function appOf({ instance }: Place): string {
  return instance.origin.replace('https://', 'https://drive.')
}
