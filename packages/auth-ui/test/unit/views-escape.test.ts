import type { Client } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import { attributeOf, parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { createMessages } from '../../src/messages.ts'
import { createPages } from '../../src/pages/create-pages.ts'
import { setPageHeaders } from '../../src/pages/page-headers.ts'
import type { PageRenderer } from '../../src/pages/page-renderer.ts'
import { themeStyle } from '../../src/pages/theme-style.ts'
import { createViews } from '../../src/views.ts'
import { SAMPLES } from '../support/sample-models.ts'
import { PASSCODE, RENEW, RESET } from '../support/step-models.ts'

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{ 7*7 }}{% include "x" %}`

/** A context that records what a page sets; pages read its state and path only. */
function fakeContext(publicName: string): { ctx: RouteContext; headers: Map<string, string> } {
  const headers = new Map<string, string>()
  const ctx = {
    state: { instance: { domain: 'alice.example.com', locale: 'en', publicName } },
    path: '/',
    set: (name: string, value: string) => headers.set(name, value),
  }
  return { ctx: ctx as unknown as RouteContext, headers }
}

type Show = (pages: PageRenderer, ctx: RouteContext) => Promise<void>

async function rendered(show: Show): Promise<string> {
  const { ctx } = fakeContext(HOSTILE)
  await show(createPages({ namespace: 'io.svc' }), ctx)
  return String(ctx.body)
}

describe('texts from outside', () => {
  it('words about problems stay in their attributes, whatever the host says in them', () => {
    const { forLocale } = createMessages()
    const frame = {
      messages: forLocale('en'),
      name: 'Alice',
      domain: 'alice.example.com',
      asset: (name: string) => `/${name}`,
      links: [],
    }
    const html = createViews().render('login', frame, { model: {}, problems: { busy: HOSTILE } })
    expect(html).to.not.include('<script>alert').and.not.to.include('<img src=x')
    const page = parsePage(html, 'https://alice.example.com/')
    const said = page.elements('form').map((form) => attributeOf(form, 'data-problem-busy'))
    expect(said).to.include(HOSTILE)
  })

  for (const [name, show] of Object.entries(SAMPLES)) {
    it(`${name}: a hostile name of the instance stays text`, async () => {
      const html = await rendered(show)
      expect(html).to.not.include('<script>alert').and.not.to.include('<img src=x')
      expect(parsePage(html, 'https://alice.example.com/').text).to.include('{{ 7*7 }}{% include')
    })
  }

  it('hostile values of fields, errors and messages stay text', async () => {
    const metadata = { client_name: HOSTILE, client_uri: HOSTILE }
    // The page reads no more of it.
    const hostileClient = { id: HOSTILE, metadata } as unknown as Client
    const form = { csrfToken: HOSTILE, formActionSources: [], salt: HOSTILE, iterations: 1 }
    const derived = { ...form, problem: { code: 'invalid_passphrase' } as const }
    const pages: readonly Show[] = [
      (to, ctx) =>
        to.loginPage(ctx, {
          ...form,
          redirect: HOSTILE,
          offersLongRun: true,
          longRun: false,
          isImport: true,
          emailVerifiedCode: HOSTILE,
          offersPasskey: true,
          offersMagicLink: true,
        }),
      (to, ctx) =>
        to.choosePassphrasePage(ctx, {
          ...form,
          registerToken: HOSTILE,
          redirection: HOSTILE,
          hint: HOSTILE,
        }),
      (to, ctx) => to.outOfBandPage(ctx, { code: HOSTILE, state: HOSTILE }),
      (to, ctx) =>
        to.certifyPage(ctx, {
          client: hostileClient,
          token: HOSTILE,
          endsInMs: 1,
          reloadHref: HOSTILE,
        }),
      (to, ctx) =>
        to.errorPage(ctx, {
          error: { code: HOSTILE, status: 400, expose: true, description: HOSTILE },
          requestId: HOSTILE,
        }),
      (to, ctx) =>
        to.passcodePage(ctx, {
          ...PASSCODE,
          ...form,
          token: HOSTILE,
          restartHref: HOSTILE,
          factors: ['passkey', 'mail', 'recovery'],
          passkeyOptions: { challenge: HOSTILE },
        }),
      (to, ctx) =>
        to.magicLinkOpenPage(ctx, {
          ...form,
          code: HOSTILE,
          isElsewhere: false,
          redirect: HOSTILE,
        }),
      (to, ctx) =>
        to.magicLinkPassphrasePage(ctx, { ...derived, magicCode: HOSTILE, redirect: HOSTILE }),
      (to, ctx) =>
        to.mailSentPage(ctx, {
          mail: 'passphrase_hint',
          loginHref: HOSTILE,
          resetHref: HOSTILE,
        }),
      (to, ctx) => to.resetPage(ctx, { ...RESET, ...form, redirect: HOSTILE, backHref: HOSTILE }),
      (to, ctx) => to.renewPage(ctx, { ...RENEW, ...form, token: HOSTILE, hint: HOSTILE }),
      (to, ctx) =>
        to.confirmPage(ctx, {
          ...derived,
          state: HOSTILE,
          redirect: HOSTILE,
          cancelHref: HOSTILE,
          requiresPassphrase: false,
          passkeyOptions: { challenge: HOSTILE },
          askedBy: HOSTILE,
        }),
      (to, ctx) =>
        to.passkeyPage(ctx, {
          ...form,
          options: { user: HOSTILE },
          confirmationCode: HOSTILE,
          confirmationState: HOSTILE,
          label: HOSTILE,
          backHref: HOSTILE,
        }),
    ]
    for (const page of pages) {
      const html = await rendered(page)
      expect(html).to.not.include('<script>alert').and.not.to.include('<img src=x')
    }
  })

  it('the description of an error that is not to be shown is not', async () => {
    const html = await rendered((to, ctx) =>
      to.errorPage(ctx, {
        error: { code: 'internal_error', status: 500, expose: false, description: 'secret-detail' },
      }),
    )
    expect(html).to.not.include('secret-detail')
  })
})

describe('setPageHeaders', () => {
  const refused = [
    "'unsafe-inline'",
    'https://a.example/path',
    'https://a;script-src *',
    'a b',
    '*',
    'HTTPS://A',
  ]
  for (const source of refused) {
    it(`throws for the form-action source ${source}`, () => {
      const { ctx } = fakeContext('Alice')
      expect(() => setPageHeaders(ctx, { formActionSources: [source] })).to.throw(TypeError)
    })
  }

  const accepted = [
    'https://a.example',
    'https://a.example:8443',
    'http:',
    'cozydrive:',
    'https://*.alice.example.com',
  ]
  for (const source of accepted) {
    it(`names ${source} in form-action`, () => {
      const { ctx, headers } = fakeContext('Alice')
      setPageHeaders(ctx, { formActionSources: [source] })
      expect(headers.get('Content-Security-Policy'))
        .to.match(/; form-action 'self' \S+$/u)
        .and.to.include(source)
    })
  }
})

describe('themeStyle', () => {
  it('lightens a dark accent for the dark sheet', () => {
    expect(themeStyle({ accent: '#1a3f9c', radius: '4px' }, '')).to.match(
      /^:root\{--color-accent:#1a3f9c;.*--radius-control:4px.*prefers-color-scheme:dark\)\{:root\{--color-accent:#[8-9a-f]/u,
    )
  })
})
