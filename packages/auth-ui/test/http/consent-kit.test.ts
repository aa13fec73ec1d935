import type { AuthorizePages } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { expect } from 'chai'
import type { Context } from 'koa'
import type { CONSENT_CASES } from '../../src/testing/consent-cases.ts'
import { testConsentPage } from '../../src/testing/consent-page.ts'
import { createAlice, startUi, type UiServer } from '../support/ui-server.ts'

type Break = (ctx: Context, html: string) => string | undefined

/** What breaks a good page, by the case that has to notice. */
const BREAKS: Readonly<Record<keyof typeof CONSENT_CASES, Break>> = {
  'one form posts the answer': (_, html) => html.replace('method="post"', 'method="get"'),
  'the form carries every hidden field': (_, html) => html.replace('name="consent"', 'name="x"'),
  'the form carries a token, whose cookie is set': (ctx) => header(ctx, 'Set-Cookie'),
  'a button answers yes without a script': (_, html) =>
    html.replaceAll('type="submit"', 'type="button"'),
  'a link refuses': (_, html) => html.replaceAll('error=access_denied', ''),
  'the policy is strict': (ctx) => header(ctx, 'Content-Security-Policy', 'default-src *'),
  'the policy lets the answer end at the client': (ctx) =>
    policy(ctx, ' https://client.example', ''),
  'the policy lets the answer end at an app of the device': (ctx) => policy(ctx, ' notes:', ''),
  'nothing is kept': (ctx) => header(ctx, 'Cache-Control', 'max-age=60'),
  'nothing inline runs': (_, html) => html.replace('<main', '<main onclick="x()"'),
  'nothing comes from elsewhere': (_, html) =>
    html.replace('</head>', '<link rel="stylesheet" href="https://cdn.example/a.css"></head>'),
  'the client and the place of the answer are named': (_, html) => html.replaceAll('Notes', ''),
  'a name with markup is text': (_, html) => html.replaceAll('&lt;img', '<img'),
  'a name does not turn its sentence round': (_, html) =>
    html.replace('<h1>', '<h1>Invoice\u202efdp.exe'),
  'a long name is shown': (ctx, html) => {
    if (html.includes('Name Name')) ctx.status = 500
    return undefined
  },
  'hard characters come back byte for byte': (_, html) => html.replaceAll('b+c', 'b c'),
  'a hostile address is no link': (_, html) =>
    html.includes('alert(1)//')
      ? html.replace('<main', '<a href="javascript:alert(1)">x</a><main')
      : undefined,
  'forty permissions are all said': (_, html) => html.replaceAll('com.example.kind17', ''),
  'other rights are another page': (_, html) =>
    html.includes('a.b') ? html.replace(/<main[\s\S]*<\/main>/u, '<main>a.b</main>') : undefined,
  'it is read on 320 pixels': (_, html) => html.replace('name="viewport"', 'name="x"'),
}

function header(ctx: Context, name: string, value?: string): undefined {
  if (value === undefined) ctx.remove(name)
  else ctx.set(name, value)
}

function policy(ctx: Context, from: string, to: string): undefined {
  const sent = String(ctx.response.get('Content-Security-Policy'))
  header(ctx, 'Content-Security-Policy', sent.replace(from, to))
}

describe('testConsentPage', () => {
  let server: UiServer
  let instance: Instance
  before(async () => {
    server = await startUi({ stays: true })
    instance = (await createAlice(server)).instance
  })
  after(() => server.close())

  it('has 20 cases, and the page of the package passes them', async () => {
    const cases = await testConsentPage(server.ui.pages.consent, { instance })
    expect(cases).to.have.lengthOf(20)
  })

  it('measures a page where a browser is given', async () => {
    const widths: number[] = []
    const run = testConsentPage(server.ui.pages.consent, {
      instance,
      measure: async (url, width) => {
        widths.push(width)
        expect((await fetch(url)).status).to.equal(200)
        return 321
      },
    })
    const error = await run.catch((fault: unknown) => fault)
    expect(String(error)).to.include('it is read on 320 pixels: it is 321 pixels wide')
    expect(widths).to.deep.equal([320])
  })

  for (const [name, breaks] of Object.entries(BREAKS)) {
    it(`refuses a page without "${name}"`, async () => {
      const page: AuthorizePages['consent'] = async (ctx, view) => {
        await server.ui.pages.consent(ctx, view)
        const broken = breaks(ctx, String(ctx.body))
        if (broken !== undefined) ctx.body = broken
      }
      const error = await testConsentPage(page, { instance }).catch((fault: unknown) => fault)
      expect(String(error)).to.include(`\n${name}: `)
    })
  }
})
