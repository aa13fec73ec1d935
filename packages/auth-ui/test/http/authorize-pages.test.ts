import { type BrowserClient, type RelyingParty, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import {
  ALICE,
  logIn,
  LOGIN_VALUE,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

describe('an authorization through the login', () => {
  let server: UiServer
  let browser: BrowserClient
  let party: RelyingParty
  beforeEach(async () => {
    ;({ server, browser } = await withAlice(startUi()))
    party = relyingParty({ issuer: ALICE, port: server.port })
    await party.register()
  })

  it('bounces to the login and back, opens a short session, and ends in a token', async () => {
    const pending = await party.authorize({ scope: 'io.svc.files:GET' })
    const bounced = await browser.get(pending.url)
    expect(bounced.status).to.equal(302)
    expect(bounced.location).to.equal(
      `${ALICE}/auth/login?redirect=${encodeURIComponent(pending.url)}`,
    )
    const page = (await browser.follow(bounced)).page()
    expect(page.form('/auth/login').inputs).not.to.include('long-run-session')
    const back = await browser.submit(page.form('/auth/login'), { passphrase: LOGIN_VALUE })
    expect(back.location).to.equal(`${pending.url}#`)
    expect(back.setCookie('svcsessid')?.attributes['max-age']).to.equal('300')
    const consent = await browser.follow(back)
    expect(consent.status).to.equal(200)
    const allowed = await browser.submit(consent.page().form('/auth/authorize'))
    expect(allowed.status).to.equal(302)
    const tokens = await party.exchange(allowed.location ?? '', pending)
    expect(tokens.scope).to.equal('io.svc.files:GET')
  })

  it('comes back byte for byte when it is as long as can be (D54)', async () => {
    const pending = await party.authorize({ scope: 'io.svc.files', state: 's' })
    const query = new URL(pending.url).search.slice(1).replace('state=s', 'state=')
    const state = `%2F${'s'.repeat(4000)}`
    const parameters = `${query.replace('state=', `state=${state}`)}&x=`
    const padding = 'é~%2b+'.replace('é', '%C3%A9').repeat(100)
    const search = `${parameters}${padding}`.padEnd(6144, 'x')
    const bounced = await browser.get(`/auth/authorize?${search}`)
    expect(bounced.status).to.equal(302)
    const form = (await browser.follow(bounced)).page().form('/auth/login')
    const back = await browser.submit(form, { passphrase: LOGIN_VALUE })
    expect(back.location).to.equal(`${ALICE}/auth/authorize?${search}#`)
    expect((await browser.follow(back)).status).to.equal(200)
  })

  it('needs the token of the page to be allowed', async () => {
    await logIn(browser)
    const pending = await party.authorize({ scope: 'io.svc.files' })
    const form = (await browser.get(pending.url)).page().form('/auth/authorize')
    const token = form.value('csrf_token') ?? ''
    const send = async (csrf_token: string | undefined, from = 'same-origin'): Promise<unknown> => {
      const fields = { ...Object.fromEntries(form.fields), csrf_token }
      const headers = { accept: 'application/json' }
      const answer = await browser.post('/auth/authorize', fields, { from, headers })
      return answer.status === 200 ? 200 : [answer.status, answer.json<{ code: string }>().code]
    }
    expect(await send(undefined)).to.deep.equal([400, 'csrf_missing'])
    expect(await send(`${token.slice(1)}x`)).to.deep.equal([403, 'csrf_invalid'])
    expect(await send('')).to.deep.equal([403, 'csrf_invalid'])
    expect(await send(token, 'https://evil.example')).to.deep.equal([403, 'cross_origin'])
    expect(await send(token, 'https://drive.alice.example.com')).to.deep.equal([
      403,
      'cross_origin',
    ])
    expect(await send(token)).to.equal(200)
  })
})
