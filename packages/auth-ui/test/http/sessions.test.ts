import { DAY_MS, type Instance, MINUTE_MS } from '@svc/platform'
import { indexKey, recordKey, secretKey } from '@svc/store'
import type { BrowserClient } from '@svc/testkit'
import { expect } from 'chai'
import { beforeEach, describe, it } from 'mocha'
import { DEFAULT_LIFETIMES } from '../../src/lifetimes.ts'
import { loginChanges, type LoginEntry } from '../../src/session/login-history.ts'
import { ALICE, logIn, startUi, type UiServer, withAlice } from '../support/ui-server.ts'

const AUTHORIZE = `${ALICE}/auth/authorize?client_id=x`

const HOST = 'alice.example.com'

describe('sessions (login.md 2.2, D59)', () => {
  let server: UiServer
  let browser: BrowserClient
  let instance: Instance
  beforeEach(async () => {
    ;({ server, instance, browser } = await withAlice(startUi()))
  })

  const isLoggedIn = async (who = browser): Promise<boolean> =>
    (await who.get('/auth/login')).status === 302
  const kinds = async (): Promise<readonly string[]> =>
    (await server.ui.owners.listSessions(instance)).map(({ kind }) => kind)

  it('end after five minutes when they serve an authorization alone', async () => {
    await logIn(browser, { redirect: AUTHORIZE })
    expect(await kinds()).to.deep.equal(['short'])
    server.clock.advance(4 * MINUTE_MS)
    expect(await isLoggedIn()).to.equal(true)
    server.clock.advance(MINUTE_MS)
    expect(await isLoggedIn()).to.equal(false)
  })

  it('end after 30 days when they are normal, used or not', async () => {
    await logIn(browser)
    for (let day = 0; day < 29; day += 7) {
      server.clock.advance(7 * DAY_MS)
      expect(await isLoggedIn()).to.equal(day < 28)
    }
    await logIn(browser)
    server.clock.advance(30 * DAY_MS + 1000)
    expect(await isLoggedIn()).to.equal(false)
  })

  it('live on by use when they are long, for 400 days at most', async () => {
    await logIn(browser, { 'long-run-session': 'on' })
    for (let day = 20; day < 400; day += 20) {
      server.clock.advance(20 * DAY_MS)
      expect(await isLoggedIn(), `day ${day}`).to.equal(true)
    }
    server.clock.advance(19 * DAY_MS)
    expect(await isLoggedIn()).to.equal(true)
    server.clock.advance(2 * DAY_MS)
    expect(await isLoggedIn()).to.equal(false)
  })

  it('end after 30 days without use when they are long', async () => {
    await logIn(browser, { 'long-run-session': 'on' })
    server.clock.advance(30 * DAY_MS + 1000)
    expect(await isLoggedIn()).to.equal(false)
  })

  it('note their use at most once a day, and send a long cookie again', async () => {
    await logIn(browser, { 'long-run-session': 'on' })
    const seen = async (): Promise<number> =>
      (await server.ui.owners.listSessions(instance))[0]?.lastSeen ?? 0
    const first = await seen()
    server.clock.advance(DAY_MS - MINUTE_MS)
    expect((await browser.get('/auth/login')).setCookies).to.deep.equal([])
    expect(await seen()).to.equal(first)
    server.clock.advance(2 * MINUTE_MS)
    expect((await browser.request('HEAD', '/auth/login')).setCookies).to.deep.equal([])
    expect(await seen()).to.equal(first)
    const answer = await browser.get('/auth/login')
    expect(answer.setCookie('svcsessid')?.attributes['max-age']).to.equal('34560000')
    expect((await seen()) - first).to.be.greaterThan(DAY_MS)
    const normal = browser.another()
    await logIn(normal)
    server.clock.advance(DAY_MS + MINUTE_MS)
    expect((await normal.get('/auth/login')).setCookies).to.deep.equal([])
  })

  it('get a new identifier at each login, never one that the browser brought', async () => {
    browser.plantCookie('svcsessid=0123456789abcdef0123456789abcdef; Path=/; Secure')
    await logIn(browser)
    await logIn(browser.another())
    const ids = (await server.ui.owners.listSessions(instance)).map(({ id }) => id)
    expect(new Set(ids).size).to.equal(2)
    expect(ids).not.to.include('0123456789abcdef0123456789abcdef')
  })

  it('stay when the owner logs in again', async () => {
    await logIn(browser)
    for (const fields of [{}, { 'long-run-session': 'on' }, { redirect: AUTHORIZE }]) {
      const answer = await logIn(browser, fields)
      expect(answer.status).to.equal(302)
      expect(answer.setCookie('svcsessid')).to.equal(undefined)
    }
    expect(await kinds()).to.deep.equal(['normal'])
  })

  it('stay when a wrong passphrase comes, which is still wrong', async () => {
    await logIn(browser)
    expect((await logIn(browser, { passphrase: 'wrong' })).status).to.equal(401)
    expect(await isLoggedIn()).to.equal(true)
  })

  for (const [asked, fields] of [
    ['normal', {}],
    ['long', { 'long-run-session': 'on' }],
  ] as const) {
    it(`become ${asked} under a new identifier when they were short`, async () => {
      const short = (await logIn(browser, { redirect: AUTHORIZE })).setCookie('svcsessid')
      const before = await server.ui.owners.listSessions(instance)
      const answer = await logIn(browser, fields)
      expect(answer.setCookie('svcsessid')).not.to.equal(undefined)
      const after = await server.ui.owners.listSessions(instance)
      expect(after.map(({ kind }) => kind)).to.deep.equal([asked])
      expect(after[0]?.id).not.to.equal(before[0]?.id)
      const headers = { cookie: `svcsessid=${short?.value}` }
      expect((await browser.another().get('/auth/login', { headers })).status).to.equal(200)
    })
  }

  it('stay short when another authorization comes', async () => {
    await logIn(browser, { redirect: AUTHORIZE })
    expect((await logIn(browser, { redirect: AUTHORIZE })).setCookie('svcsessid')).to.equal(
      undefined,
    )
    expect(await kinds()).to.deep.equal(['short'])
  })

  it('do not come back when a use and their end cross', async () => {
    await logIn(browser, { 'long-run-session': 'on' })
    server.clock.advance(2 * DAY_MS)
    const [session] = await server.ui.owners.listSessions(instance)
    // Between the read and the write of the touch, the session ends.
    const realWrite = server.store.write.bind(server.store)
    let ended: Promise<number> | undefined
    server.store.write = async (changes, options) => {
      if (ended === undefined && changes.some(({ key }) => key.endsWith(session?.id ?? '-'))) {
        ended = Promise.resolve(0)
        ended = server.ui.owners.deleteAllSessions(instance)
        await ended
      }
      return realWrite(changes, options)
    }
    const answer = await browser.get('/auth/login')
    expect(await ended).to.equal(1)
    expect(answer.setCookie('svcsessid')).to.equal(undefined)
    expect(await server.ui.owners.listSessions(instance)).to.deep.equal([])
    expect(await isLoggedIn()).to.equal(false)
  })

  it('are told to the host and to all processes when they end', async () => {
    const ends: unknown[] = []
    const other = await startUi({
      store: server.store,
      key: server.key,
      clock: server.clock,
      ui: {
        hooks: {
          onSessionsEnded: ({ reason, sessionIds }) => {
            ends.push([reason, sessionIds.length])
            // What a host does wrong keeps no session alive.
            throw new Error('the host is not well')
          },
        },
      },
    })
    const heard: unknown[] = []
    other.oauth.onRevoked({
      onRevoked: (end) => heard.push([end.instanceId, end.kind]),
      onGap() {},
    })
    await other.ui.owners.createSession(instance)
    await other.ui.owners.createSession(instance)
    expect(await other.ui.owners.deleteAllSessions(instance)).to.equal(2)
    expect(ends).to.deep.equal([['revoked', 2]])
    expect(heard.slice(0, 2)).to.deep.equal(Array(2).fill([instance.id, 'session']))
    expect(await other.ui.owners.deleteAllSessions(instance)).to.equal(0)
    expect(ends).to.have.lengthOf(1)
  })

  it('and all else of the owner go with the instance', async () => {
    await logIn(browser)
    await server.oauth.instances.remove(instance.id)
    for (const index of ['known-devices', 'login-places', 'session-logins', 'sessions']) {
      const page = await server.store.list(`{${instance.id}}:index:${index}` as never)
      expect(page.records, index).to.deep.equal([])
    }
    expect(await server.store.get(`{${instance.id}}:owner:owner` as never)).to.equal(undefined)
    expect((await browser.get('/auth/login')).status).to.equal(404)
  })

  describe('of a request that any framework has', () => {
    let cookie: string
    beforeEach(async () => {
      await logIn(browser)
      cookie = `theirs=1; svcsessid=${browser.cookie('svcsessid')?.value}`
    })

    const idOf = async (headers: Record<string, string>): Promise<string | undefined> =>
      (await server.ui.currentSession({ headers }))?.id

    it('is whoever is logged in on the host that the request names, whatever framework has it', async () => {
      const id = await idOf({ host: HOST, cookie })
      expect(id).to.be.a('string')
      const request = new Request(`https://${HOST}/recipes`, { headers: { cookie } })
      expect((await server.ui.currentSession(request))?.id).to.equal(id)
      // One cookie covers the app hosts below the instance.
      expect(await idOf({ host: `notes.${HOST}`, cookie })).to.equal(id)
    })

    it('is nobody without the cookie, elsewhere, and after the logout', async () => {
      await server.oauth.instances.create({ domain: 'bob.example.com' })
      expect(await idOf({ host: HOST })).to.equal(undefined)
      expect(await idOf({ host: HOST, cookie: 'svcsessid=planted' })).to.equal(undefined)
      for (const host of ['bob.example.com', 'x.example', '']) {
        expect(await idOf({ host, cookie }), host).to.equal(undefined)
      }
      await server.ui.owners.deleteAllSessions(instance)
      expect(await idOf({ host: HOST, cookie })).to.equal(undefined)
    })

    it('is nobody while the instance is out of service', async () => {
      await server.oauth.instances.update(instance.id, { status: 'blocked' })
      expect(await idOf({ host: HOST, cookie })).to.equal(undefined)
    })
  })

  describe('have bounds (operation.md 8.1)', () => {
    it('are 100 at most: the one unused for longest ends', async () => {
      const { owners } = server.ui
      const first = await owners.createSession(instance)
      const second = await owners.createSession(instance)
      server.clock.advance(1000)
      for (let n = 0; n < 98; n++) await owners.createSession(instance)
      const named = async (): Promise<readonly string[]> => {
        const ids = [first, second].map(({ session }) => session.id)
        const keys = ids.map((id) => recordKey(instance.id, 'session', id))
        const found = await server.store.getMany(keys)
        return ids.filter((_, at) => found[at] !== undefined)
      }
      expect((await named()).length).to.equal(2)
      // A login needs no room.
      const browser = server.browser(ALICE)
      await logIn(browser)
      expect((await named()).length).to.equal(1)
      expect((await browser.get('/settings/sessions/current')).status).to.equal(200)
      await owners.createSession(instance)
      expect((await named()).length).to.equal(0)
    })

    it('leave 1 000 entries of the login history: the oldest go', async () => {
      const browser = server.browser(ALICE)
      await logIn(browser)
      const [first] = await all(instance, 'session-logins')
      const { clock, store } = server
      for (let n = 0; n < 1000; n++) {
        clock.advance(1)
        const seen = { ip: `192.0.2.${n}`, userAgent: '', os: 'Linux', browser: 'Firefox' }
        const sessionId = `s${n}` as LoginEntry['sessionId']
        const how = { method: 'password', clientRegistration: false } as const
        const entry = { ...seen, ...how, sessionId, createdAt: clock.now() }
        await store.write(loginChanges({ clock, lifetimes: DEFAULT_LIFETIMES }, instance, entry))
      }
      expect(await all(instance, 'session-logins'))
        .to.have.lengthOf(1001)
        .and.include(first)
      await logIn(server.browser(ALICE))
      await server.sentMails()
      expect(await all(instance, 'session-logins'))
        .to.have.lengthOf(1000)
        .and.not.include(first)
      expect(await all(instance, 'login-places')).to.have.lengthOf(1000)
    })

    it('leave 100 known browsers: the one that logged in longest ago is a stranger again', async () => {
      await logIn(server.browser(ALICE))
      const [first] = await all(instance, 'known-devices')
      server.clock.advance(1000)
      await logIn(server.browser(ALICE))
      const second = (await all(instance, 'known-devices')).find((key) => key !== first)
      for (let n = 0; n < 98; n++) {
        server.clock.advance(1)
        const sort = String(server.clock.now()).padStart(15, '0')
        await server.store.write([
          {
            op: 'put',
            key: secretKey(instance.id, 'known-device', `other ${n}`),
            value: { stamp: 'a' },
            indexes: [{ index: indexKey(instance.id, 'known-devices'), sort }],
          },
        ])
      }
      server.clock.advance(1)
      await logIn(server.browser(ALICE))
      await server.sentMails()
      const known = await all(instance, 'known-devices')
      expect(known).to.have.lengthOf(100).and.include(second).and.not.include(first)
    })

    /** Keys of the records of an index. */
    async function all(instance: Instance, name: string): Promise<readonly string[]> {
      const keys: string[] = []
      let cursor: string | undefined
      do {
        const index = indexKey(instance.id, name)
        const page = await server.store.list(index, cursor === undefined ? {} : { cursor })
        keys.push(...page.records.map(({ key }) => key))
        cursor = page.cursor
      } while (cursor !== undefined)
      return keys
    }
  })
})
