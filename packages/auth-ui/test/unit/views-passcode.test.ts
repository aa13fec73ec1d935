import type { RouteContext } from '@svc/platform'
import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { createMessages } from '../../src/messages.ts'
import type { PasscodePageModel } from '../../src/pages/page-models.ts'
import { createPages } from '../../src/pages/create-pages.ts'
import type { FactorKind, TwoFactorPurpose } from '../../src/ports.ts'
import { PASSCODE, REQUEST_OPTIONS } from '../support/step-models.ts'

const KINDS: readonly FactorKind[] = ['passkey', 'totp', 'mail', 'recovery']
const PURPOSES: readonly TwoFactorPurpose[] = [
  ...(['login', 'confirm', 'flagship', 'session_code'] as const),
  ...(['passphrase', 'move', 'auth_mode'] as const),
]

/** Every set of factors but the empty one. */
const SETS = Array.from({ length: 2 ** KINDS.length - 1 }, (_, at) =>
  KINDS.filter((_kind, bit) => ((at + 1) & (1 << bit)) !== 0),
)

describe('the page of the second step', () => {
  const pages = createPages({ namespace: 'io.svc', messages: createMessages() })

  async function show(changes: Partial<PasscodePageModel>, locale = 'en'): Promise<string> {
    const ctx = {
      state: { instance: { domain: 'alice.example.com', locale } },
      path: '/auth/twofactor',
      set: () => {},
      body: '',
    }
    // The pages read the instance and the path only.
    await pages.passcodePage(ctx as unknown as RouteContext, { ...PASSCODE, ...changes })
    return ctx.body
  }

  for (const factors of SETS) {
    it(`has words for ${factors.join(' and ')}, whatever it is for, in every language`, async () => {
      for (const purpose of PURPOSES) {
        for (const locale of createMessages().locales) {
          const html = await show({ factors, purpose, passkeyOptions: REQUEST_OPTIONS }, locale)
          expect(html).to.not.match(/undefined|\[object|NaN/u)
        }
      }
    })

    it(`offers exactly ${factors.join(' and ')}`, async () => {
      const html = await show({ factors, passkeyOptions: REQUEST_OPTIONS })
      const has = (kind: FactorKind): boolean => factors.includes(kind)
      expect(html.includes('id="use-passkey"'), 'passkey').to.equal(has('passkey'))
      expect(html.includes('name="two-factor-assertion"'), 'assertion').to.equal(has('passkey'))
      expect(html.includes('name="two-factor-passcode"'), 'field').to.equal(
        factors.some((kind) => kind !== 'passkey'),
      )
      expect(html.includes('action="/auth/twofactor/resend"'), 'resend').to.equal(has('mail'))
      expect(html.includes('inputmode="text"'), 'letters').to.equal(has('recovery'))
    })
  }

  it('speaks of recovery codes alone where nothing else can be typed', async () => {
    const html = await show({ factors: ['recovery'], problem: { code: 'two_factor_invalid' } })
    expect(html).to.include('That recovery code didn’t work').and.include('autocomplete="off"')
    expect(html).to.not.match(/6[ -]digit|ask for a new one/u)
  })

  it('asks for a script, not for a code, where a passkey is the only way', async () => {
    const html = await show({ factors: ['passkey'], passkeyOptions: REQUEST_OPTIONS })
    expect(html).to.include('Turn on JavaScript to use your passkey, then load this page again.')
    expect(html).to.not.include('or use a code.')
  })

  it('carries the token in both forms, and what the engine of the browser needs', async () => {
    const html = await show({
      factors: ['passkey', 'mail'],
      passkeyOptions: { challenge: 'abc' },
    })
    const page = parsePage(html, 'https://alice.example.com')
    for (const action of ['/auth/twofactor', '/auth/twofactor/resend'])
      expect(page.form(action).value('two-factor-token')).to.equal('t'.repeat(96))
    expect(html).to.include('data-options="{&quot;challenge&quot;:&quot;abc&quot;}"')
    expect(html).to.match(/autocomplete="one-time-code" inputmode="numeric"/u)
  })

  it('does not offer to trust the browser where that has no meaning', async () => {
    expect(await show({ offersTrust: false })).to.not.include('two-factor-generate')
    expect(await show({ offersTrust: true })).to.include('two-factor-generate')
  })

  it('never counts below nothing', async () => {
    expect(await show({ now: PASSCODE.expiresAt + 5000 })).to.include('data-ends-in="0"')
  })
})
