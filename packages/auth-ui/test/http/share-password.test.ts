import type { RouteContext } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import type { SharedLink } from '../../src/index.ts'
import { ALICE, createAlice, startUi, type UiServer } from '../support/ui-server.ts'

const PATHS = ['/auth/share-by-link/password', '/auth/clients/share-by-link/password'] as const
const DRIVE = 'https://drive.alice.example.com'

describe('POST /auth/share-by-link/password', () => {
  let server: UiServer
  let browser: BrowserClient
  let links: Map<string, SharedLink>
  beforeEach(async () => {
    links = new Map()
    server = await startUi({
      ui: { shares: { find: async (_, permId) => links.get(permId) } },
      own(app) {
        // A resource that is shared by a link, on every host of the instance.
        app.use(async (ctx, next) => {
          const [, permId] = /^\/shared\/(.+)$/.exec(ctx.path) ?? []
          if (permId === undefined) return next()
          await server.oauth.resolveInstance()(ctx, async () => {
            const isOpen = await server.ui.hasShareCookie(ctx as RouteContext, permId)
            ctx.status = isOpen ? 200 : 403
            ctx.body = ''
          })
        })
      },
    })
    await createAlice(server)
    browser = server.browser()
    links.set('open', {})
    links.set('safe-1', { password: await server.ui.hashSharePassword('sesame') })
  })

  const post = (
    fields: Readonly<Record<string, string>>,
    path: string = PATHS[0],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<BrowserResponse> => browser.post(path, fields, { headers })
  const canUse = async (permId: string, base = ALICE, from = browser): Promise<boolean> =>
    (await from.get(`${base}/shared/${permId}`)).status === 200

  for (const path of PATHS) {
    it(`answers 200 and the cookie to the right password at ${path}`, async () => {
      expect(await canUse('safe-1')).to.equal(false)
      const answer = await post({ perm_id: 'safe-1', password: 'sesame' }, path)
      expect(answer.status).to.equal(200)
      expect(answer.json()).to.deep.equal({ password: 'ok' })
      const cookie = answer.setCookie('passsafe-1')
      expect(cookie?.attributes).to.deep.equal({
        path: '/',
        domain: 'alice.example.com',
        httponly: true,
        samesite: 'Lax',
        secure: true,
      })
      expect(await canUse('safe-1')).to.equal(true)
      expect(await canUse('safe-1', DRIVE)).to.equal(true)
    })
  }

  it('answers 200 none, without a cookie, for a link without a password', async () => {
    const answer = await post({ perm_id: 'open', password: 'whatever' })
    expect(answer.status).to.equal(200)
    expect(answer.json()).to.deep.equal({ password: 'none' })
    expect(answer.setCookies).to.deep.equal([])
    expect(await canUse('open')).to.equal(true)
  })

  const wrong: readonly [fields: Readonly<Record<string, string>>, status: number][] = [
    [{ perm_id: 'safe-1', password: 'wrong' }, 403],
    [{ perm_id: 'safe-1', password: '' }, 403],
    [{ perm_id: 'safe-1' }, 403],
    [{ perm_id: 'safe-1', password: 'x'.repeat(1025) }, 403],
    [{ perm_id: 'unknown', password: 'sesame' }, 404],
    [{ perm_id: '../safe-1', password: 'sesame' }, 404],
    [{ perm_id: 'x'.repeat(129), password: 'sesame' }, 404],
    [{ password: 'sesame' }, 404],
  ]
  for (const [fields, status] of wrong) {
    it(`answers ${status} to ${JSON.stringify(fields).slice(0, 60)}`, async () => {
      const answer = await post(fields)
      expect(answer.status).to.equal(status)
      const error = status === 403 ? 'Invalid password' : 'not found'
      expect(answer.json()).to.include({ error })
      expect(answer.setCookies).to.deep.equal([])
    })
  }

  it('counts wrong passwords of a link, and no right ones', async () => {
    for (let count = 0; count < 25; count += 1) {
      expect((await post({ perm_id: 'safe-1', password: 'sesame' })).status).to.equal(200)
    }
    const guesses = Array.from({ length: 25 }, () => post({ perm_id: 'safe-1', password: 'wrong' }))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).to.have.length(20)
    const limited = await post({ perm_id: 'safe-1', password: 'sesame' })
    expect(limited.status).to.equal(429)
    expect(limited.headers['retry-after']).to.match(/^\d+$/)
    server.clock.advance(5 * 60_000)
    expect((await post({ perm_id: 'safe-1', password: 'sesame' })).status).to.equal(200)
  })

  describe('the cookie', () => {
    beforeEach(() => post({ perm_id: 'safe-1', password: 'sesame' }))

    it('dies with the password, and with the link', async () => {
      links.set('safe-1', { password: await server.ui.hashSharePassword('sesame') })
      expect(await canUse('safe-1')).to.equal(false)
      links.delete('safe-1')
      expect(await canUse('safe-1')).to.equal(false)
    })

    it('opens no other link, under whatever name', async () => {
      const password = await server.ui.hashSharePassword('sesame')
      const known = links.get('safe-1')
      links.set('safe-2', { password })
      links.set('safe-3', known ?? {})
      expect(await canUse('safe-2')).to.equal(false)
      const answer = await post({ perm_id: 'safe-1', password: 'sesame' })
      const value = answer.setCookie('passsafe-1')?.value ?? ''
      const other = server.browser()
      other.plantCookie(`passsafe-3=${value}; Path=/; Secure`, ALICE)
      expect(await canUse('safe-3', ALICE, other)).to.equal(false)
      other.plantCookie(`passsafe-1=${value}; Path=/; Secure`, ALICE)
      expect(await canUse('safe-1', ALICE, other)).to.equal(true)
    })

    it('opens nothing when a bit of it is changed', async () => {
      const answer = await post({ perm_id: 'safe-1', password: 'sesame' })
      const value = answer.setCookie('passsafe-1')?.value ?? ''
      const bytes = Buffer.from(value, 'base64url')
      for (const place of [0, 7, 8, 39, 40, bytes.length - 1]) {
        const changed = Buffer.from(bytes)
        changed[place] = (changed[place] ?? 0) ^ 1
        const other = server.browser()
        other.plantCookie(`passsafe-1=${changed.toString('base64url')}; Path=/; Secure`, ALICE)
        expect(await canUse('safe-1', ALICE, other), `byte ${place}`).to.equal(false)
      }
    })
  })

  it('answers apps of the instance across origins, and nobody else', async () => {
    const fields = { perm_id: 'safe-1', password: 'sesame' }
    const own = await post(fields, PATHS[0], { origin: DRIVE, 'sec-fetch-site': 'same-site' })
    expect(own.status).to.equal(200)
    expect(own.headers['access-control-allow-origin']).to.equal(DRIVE)
    expect(own.headers['access-control-allow-credentials']).to.equal('true')
    const foreign = await post(fields, PATHS[0], { origin: 'https://evil.example' })
    expect(foreign.headers['access-control-allow-origin']).to.equal(undefined)
  })
})
