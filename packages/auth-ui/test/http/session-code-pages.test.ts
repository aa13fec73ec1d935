import type { Instance } from '@svc/platform'
import { type BrowserClient, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import {
  ALICE,
  createAlice,
  logIn,
  startUi,
  type UiServer,
  withAlice,
} from '../support/ui-server.ts'

for (const subdomains of ['nested', 'flat'] as const) {
  const isFlat = subdomains === 'flat'
  const drive = isFlat ? 'https://alice-drive.example.com' : 'https://drive.alice.example.com'
  const cookie = isFlat ? '__Host-svcapp' : 'svcsessid'

  describe(`session codes on pages of apps, ${subdomains} (login.md 9.1)`, () => {
    let server: UiServer
    let instance: Instance
    let browser: BrowserClient
    beforeEach(async () => {
      ;({ server, instance, browser } = await withAlice(startUi({ oauth: { subdomains } })))
    })

    const newCode = (): Promise<string> => server.ui.owners.createSessionCode(instance)

    it('open a normal session, and lead to the address without the code', async () => {
      const code = await newCode()
      const answer = await browser.get(`${drive}/a?x=%2B&session_code=${code}&y=+`)
      expect(answer.status).to.equal(302)
      expect(answer.location).to.equal(`${drive}/a?x=%2B&y=+`)
      expect(answer.headers['cache-control']).to.equal('no-store')
      expect(answer.setCookies.map(({ name }) => name)).to.deep.equal([cookie])
      const { attributes } = answer.setCookie(cookie) ?? {}
      expect(attributes).to.include({ path: '/', httponly: true, samesite: 'Lax', secure: true })
      expect(attributes).not.to.have.property('max-age')
      const [session] = await server.ui.owners.listSessions(instance)
      expect(session).to.include({ kind: 'normal', method: 'session_code' })
      expect((await browser.follow(answer)).status).to.equal(200)
    })

    it('are used up by the first, and then as if absent: the login does not see them', async () => {
      const code = await newCode()
      await browser.get(`${drive}/?session_code=${code}`)
      for (const bad of [code, 'x', '', 'a'.repeat(32), '%00', '../../x', 'a'.repeat(5000)]) {
        const other = server.browser()
        const answer = await other.get(`${drive}/a?session_code=${bad}&b=c`)
        expect(answer.status).to.equal(302)
        expect(answer.location).to.equal(
          `${ALICE}/auth/login?redirect=${encodeURIComponent(`${drive}/a?b=c`)}`,
        )
        expect(answer.setCookies).to.deep.equal([])
      }
    })

    it('are used up by a browser that is logged in, which keeps its session', async () => {
      await browser.get(`${drive}/?session_code=${await newCode()}`)
      const code = await newCode()
      const answer = await browser.get(`${drive}/a?session_code=${code}`)
      expect([answer.status, answer.location]).to.deep.equal([302, `${drive}/a`])
      expect(answer.setCookies).to.deep.equal([])
      expect(await server.ui.owners.listSessions(instance)).to.have.lengthOf(1)
      const other = await server.browser().get(`${drive}/?session_code=${code}`)
      expect(other.setCookies).to.deep.equal([])
    })

    it('are left alone by a HEAD and by a file', async () => {
      const code = await newCode()
      const head = await browser.request('HEAD', `${drive}/?session_code=${code}`)
      expect(head.setCookies).to.deep.equal([])
      const file = await browser.get(`${drive}/app.js?session_code=${code}`)
      expect([file.status, file.setCookies]).to.deep.equal([401, []])
      const page = await browser.get(`${drive}/?session_code=${code}`)
      expect(page.setCookie(cookie)).not.to.equal(undefined)
    })

    it('die after five minutes, and mean nothing to another instance', async () => {
      const late = await newCode()
      server.clock.advance(300_000)
      expect((await browser.get(`${drive}/?session_code=${late}`)).setCookies).to.deep.equal([])
      await server.ui.owners.createInstance({ domain: 'bob.example.com' }, 'bob has one')
      const code = await newCode()
      const bobs = drive.replace('alice', 'bob')
      expect((await browser.get(`${bobs}/?session_code=${code}`)).setCookies).to.deep.equal([])
      const own = await browser.get(`${drive}/?session_code=${code}`)
      expect(own.setCookie(cookie)).not.to.equal(undefined)
    })

    it('open nothing that the host refuses', async () => {
      const strict = await startUi({
        oauth: { subdomains },
        ui: {
          hooks: {
            onLogin: ({ method }) => {
              if (method !== 'session_code') return
              throw Object.assign(new Error('no'), { code: 'forbidden', status: 403, expose: true })
            },
          },
        },
      })
      const { instance: alice } = await createAlice(strict)
      const code = await strict.ui.owners.createSessionCode(alice)
      const answer = await strict.browser().get(`${drive}/?session_code=${code}`)
      expect([answer.status, answer.setCookies]).to.deep.equal([403, []])
      expect(await strict.ui.owners.listSessions(alice)).to.deep.equal([])
    })
  })
}

describe('session codes on GET /auth/authorize (login.md 9.1, D57)', () => {
  let server: UiServer
  let instance: Instance
  let browser: BrowserClient
  let url: string
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi()))
    const party = relyingParty({ issuer: ALICE, port: server.port })
    await party.register()
    ;({ url } = await party.authorize({ scope: 'io.svc.files', state: 'a%2B b' }))
  })

  const newCode = (): Promise<string> => server.ui.owners.createSessionCode(instance)

  it('open a short session, and lead to the request without the code', async () => {
    const answer = await browser.get(`${url}&session_code=${await newCode()}`)
    expect([answer.status, answer.location]).to.deep.equal([302, url])
    const [name, query] = [url.split('?')[0] ?? '', url.split('?')[1] ?? '']
    expect(answer.setCookie('svcsessid')?.attributes['max-age']).to.equal('300')
    const [session] = await server.ui.owners.listSessions(instance)
    expect(session).to.include({ kind: 'short', method: 'session_code' })
    expect((await browser.follow(answer)).status).to.equal(200)
    const first = await server.browser().get(`${name}?session_code=${await newCode()}&${query}`)
    expect(first.location).to.equal(url)
  })

  it('are used up by a browser that is logged in, which keeps its session', async () => {
    await logIn(browser)
    const code = await newCode()
    const answer = await browser.get(`${url}&session_code=${code}`)
    expect([answer.status, answer.location]).to.deep.equal([302, url])
    expect(answer.setCookies).to.deep.equal([])
    const other = await server.browser().get(`${url}&session_code=${code}`)
    expect(other.location).to.equal(`${ALICE}/auth/login?redirect=${encodeURIComponent(url)}`)
  })

  it('are used up whatever else is wrong with the request', async () => {
    const code = await newCode()
    const bad = `${ALICE}/auth/authorize?client_id=unknown&state=x`
    const answer = await browser.get(`${bad}&session_code=${code}`)
    expect([answer.status, answer.location]).to.deep.equal([302, bad])
    expect((await browser.follow(answer)).status).to.equal(400)
    expect((await server.browser().get(`${url}&session_code=${code}`)).setCookies).to.deep.equal([])
  })

  it('are as if absent when they are not good', async () => {
    for (const code of ['', 'x', 'a'.repeat(32)]) {
      const answer = await server.browser().get(`${url}&session_code=${code}`)
      expect(answer.location).to.equal(`${ALICE}/auth/login?redirect=${encodeURIComponent(url)}`)
      expect(answer.setCookies).to.deep.equal([])
    }
    await logIn(browser)
    expect((await browser.get(`${url}&session_code=x`)).status).to.equal(200)
  })

  it('are left alone by a HEAD, and by a request that is refused for a doubled parameter', async () => {
    const code = await newCode()
    const head = await browser.request('HEAD', `${url}&session_code=${code}`)
    expect(head.setCookies).to.deep.equal([])
    const doubled = await browser.get(`${url}&session_code=${code}&session_code=${code}`)
    expect([doubled.status, doubled.setCookies]).to.deep.equal([400, []])
    const answer = await browser.get(`${url}&session_code=${code}`)
    expect(answer.setCookie('svcsessid')).not.to.equal(undefined)
  })
})
