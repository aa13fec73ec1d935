import { HOUR_MS } from '@svc/platform'
import { eachStore, type RelyingParty } from '@svc/testkit'
import { expect } from 'chai'
import type { ClientId } from '../../src/clients/client.ts'
import { VERIFIER } from '../client-steps.ts'
import {
  authorizeParameters,
  authorizeUrl,
  type ConsentServer,
  DRIVE,
  startConsentServer,
  tokensAt,
} from './consent-server.ts'

const SCOPE = 'io.svc.files:GET io.svc.contacts io.svc.notes:GET,POST'
const ALL = { 'permission-0': '1', 'permission-1': '1', 'permission-2': '1' }

type Fields = Readonly<Record<string, string>>

interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly scope?: string
  readonly expires_in?: number
}

eachStore((open) => {
  describe('POST /auth/authorize with a choice', () => {
    let server: ConsentServer
    let party: RelyingParty

    beforeEach(async () => {
      server = await startConsentServer({ openStore: (clock) => open({ clock }) })
      party = await server.client()
    })

    /** The owner's answer to the page; `undefined` takes a field of the page away. */
    async function answer(fields: Readonly<Record<string, string | undefined>>, scope = SCOPE) {
      const browser = server.browser()
      const page = await server.page(party, { scope }, browser)
      const shown = Object.fromEntries(page.page().form('/auth/authorize').fields)
      const posted = Object.entries({ ...shown, ...fields }).filter(
        (field): field is [string, string] => field[1] !== undefined,
      )
      return browser.post('/auth/authorize', Object.fromEntries(posted))
    }

    async function allow(fields: Fields, scope = SCOPE): Promise<Tokens> {
      const { location = '' } = await answer(fields, scope)
      return tokensAt(party, { location })
    }

    const status = async (token: string, method = 'GET'): Promise<number> =>
      (await server.call('/files', { method, token })).status

    it('gives the token exactly what was ticked, in the order of the request', async () => {
      const tokens = await allow({ choice: '1', 'permission-2': 'on', 'permission-0': 'on' })
      expect(tokens.scope).to.equal('io.svc.files:GET io.svc.notes:GET,POST')
      const [, payload = ''] = tokens.access_token.split('.')
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
      expect(claims).to.include({ scope: 'io.svc.files:GET io.svc.notes:GET,POST' })
      expect((await party.refresh(tokens.refresh_token ?? '')).scope).to.equal(tokens.scope)
      expect(await status(tokens.access_token)).to.equal(200)
    })

    it('gives everything, until it is revoked, to an answer without a choice', async () => {
      const tokens = await allow({})
      expect(tokens).to.include({ scope: SCOPE, expires_in: 86_400 })
      server.clock.advance(300 * 24 * HOUR_MS)
      expect(await party.refresh(tokens.refresh_token ?? '')).to.include({ scope: SCOPE })
    })

    it('divides a rule with choice=2: a right stays when it and its group are ticked', async () => {
      const tokens = await allow({
        choice: '2',
        'permission-0-read': '1',
        'group-files-read': '1',
        'permission-1-read': '1',
        'permission-1-change': '1',
        'permission-1-delete': '1',
        'group-people-read': '1',
        'group-people-change': '1',
        'permission-2-change': '1',
      })
      expect(tokens.scope).to.equal('io.svc.files:GET io.svc.contacts:GET,POST,PUT,PATCH')
      expect((await party.refresh(tokens.refresh_token ?? '')).scope).to.equal(tokens.scope)
    })

    it('keeps a rule byte for byte when all its rights are ticked', async () => {
      const rule = 'io.svc.notes:POST,GET:b,a:tag'
      const fields = {
        'permission-0-read': '1',
        'permission-0-change': '1',
        'group-files-read': '1',
        'group-files-change': '1',
      }
      expect((await allow({ choice: '2', ...fields }, rule)).scope).to.equal(rule)
    })

    it('shows the page again when the ticks of choice=2 leave nothing', async () => {
      const onlyRules = { 'permission-0-read': '1', 'permission-1-delete': '1' }
      const onlyGroups = { 'group-files-read': '1', 'group-people-read': '1' }
      for (const fields of [{}, ALL, onlyRules, onlyGroups]) {
        expect((await answer({ choice: '2', ...fields })).status).to.equal(400)
        expect(server.pages.views.at(-1)).to.include({ problem: 'nothing_chosen' })
      }
    })

    it('takes a choice in a form built from the specification alone', async () => {
      const tokens = await allow({ choice: '1', 'permission-0': '1', consent: '' }).catch(
        () => undefined,
      )
      expect(tokens, 'an empty seal is present, and opens nothing').to.equal(undefined)
      const { location = '' } = await answer({
        choice: '1',
        'permission-0': '1',
        consent: undefined,
      })
      const exchange = { url: '', state: 'the state', codeVerifier: VERIFIER }
      expect((await party.exchange(location, exchange)).scope).to.equal('io.svc.files:GET')
    })

    it('shows the page again when nothing is ticked, with the ways on and out', async () => {
      const again = await answer({ choice: '1', duration: '1d' })
      expect(again.status).to.equal(400)
      expect(Object.fromEntries(again.page().form('/auth/authorize').fields)['scope']).to.equal(
        SCOPE,
      )
      const view = server.pages.views.at(-1)
      expect(view).to.include({ problem: 'nothing_chosen', duration: '1d' })
      expect(view?.cancelUrl).to.include('error=access_denied')
    })

    const REFUSED: readonly (readonly [string, Fields])[] = [
      ['a choice of another value', { choice: 'yes', ...ALL }],
      ['an unknown duration', { duration: '2h' }],
      ['an empty duration', { duration: '' }],
      ['the name of a member of every object as duration', { duration: 'constructor' }],
    ]
    it('answers 400 to a choice or a time that there is not', async () => {
      for (const [name, fields] of REFUSED) {
        const refused = await answer(fields)
        expect([refused.status, refused.location], name).to.deep.equal([400, undefined])
      }
      const id = party.client.client_id as ClientId
      expect(await server.oauth.clients.scopes(server.alice, id)).to.deep.equal([])
    })

    it('offers no time to a client whose codes are carried by hand, but the boxes', async () => {
      const uri = 'urn:ietf:wg:oauth:2.0:oob'
      party = await server.client({ redirect_uris: [uri] })
      const parameters = authorizeParameters(party, { scope: SCOPE, redirect_uri: uri })
      const browser = server.browser()
      const page = await browser.get(authorizeUrl(parameters))
      expect(server.pages.views[0]).to.deep.include({ permissionChoice: 'open', durations: [] })
      const shown = Object.fromEntries(page.page().form('/auth/authorize').fields)
      const timed = await browser.post('/auth/authorize', { ...shown, duration: '1h' })
      expect(timed.status).to.equal(400)
      const ticked = { ...shown, choice: '1', 'permission-1': '1' }
      expect((await browser.post('/auth/authorize', ticked)).status).to.equal(200)
      const id = party.client.client_id as ClientId
      expect(await server.oauth.clients.scopes(server.alice, id)).to.deep.equal(['io.svc.contacts'])
    })

    it('asks for the whole or nothing where the host says so', async () => {
      const first = server
      server = await startConsentServer({ sameAs: first, consent: { choose: false } })
      await first.close()
      party = await server.client()
      expect((await allow({})).scope).to.equal(SCOPE)
      expect(server.pages.views[0]).to.deep.include({ permissionChoice: 'off', durations: [] })
      expect((await answer({ choice: '1', ...ALL })).status).to.equal(400)
      expect((await answer({ duration: '1h' })).status).to.equal(400)
      expect((await answer({ duration: 'until_revoked' })).status).to.equal(302)
    })

    it('offers a linked client no choice, and takes none', async () => {
      server.installed.set('drive', DRIVE)
      party = await server.client({ software_id: 'registry://drive' })
      expect((await answer({ choice: '1', 'permission-0': '1' })).status).to.equal(400)
      expect(server.pages.views[0]).to.include({ permissionChoice: 'linked' })
      expect((await allow({ duration: '1h' })).scope).to.equal('@io.svc.apps/drive')
    })

    describe('for a time', () => {
      it('caps access tokens to it and ends with it', async () => {
        // Between two seconds: neither a token nor its grant is good for longer than the hour.
        server.clock.advance(1250 - (server.clock.now() % 1000))
        const latest = server.clock.now() + HOUR_MS
        const tokens = await allow({ duration: '1h' })
        expect(tokens.expires_in).to.be.within(3590, 3600)
        const given = server.events.find(({ name }) => name === 'code.created')
        const id = party.client.client_id as ClientId
        const [grant] = await server.oauth.clients.access(server.alice, id)
        expect(grant?.endsAt).to.equal(given?.event['endsAt'])
        expect(grant?.endsAt).to.be.within(latest - 1000, latest + 10_000)
        expect(Number(grant?.endsAt) % 1000).to.equal(0)
        server.clock.advance(30 * 60_000)
        const refreshed = await party.refresh(tokens.refresh_token ?? '')
        expect(refreshed.expires_in).to.be.within(1790, 1800)
        server.clock.advance(30 * 60_000 + 1000)
        expect(await status(refreshed.access_token)).to.equal(401)
        expect(await status(tokens.access_token)).to.equal(401)
        const late = await server.browser().post('/auth/access_token', {
          grant_type: 'refresh_token',
          refresh_token: tokens.refresh_token ?? '',
          client_id: party.client.client_id,
          client_secret: String(party.client.client_secret),
        })
        expect(late.status).to.equal(400)
        expect(JSON.parse(late.text)).to.include({ error: 'invalid_grant' })
      })

      it('leaves tokens their usual life while the time is longer', async () => {
        const tokens = await allow({ duration: '30d' })
        expect(tokens.expires_in).to.equal(86_400)
        server.clock.advance(29 * 24 * HOUR_MS)
        const refreshed = await party.refresh(tokens.refresh_token ?? '')
        expect(refreshed.expires_in).to.be.within(86_399, 86_400)
        server.clock.advance(23 * HOUR_MS)
        expect((await party.refresh(tokens.refresh_token ?? '')).expires_in).to.be.at.most(3600)
        server.clock.advance(HOUR_MS + 1000)
        expect(await status(refreshed.access_token)).to.equal(401)
      })

      it('ends at the same time in another process', async () => {
        const tokens = await allow({ duration: '1h' })
        const other = await startConsentServer({ sameAs: server })
        const call = (): Promise<number> =>
          other.call('/files', { token: tokens.access_token }).then(({ status: code }) => code)
        expect(await call()).to.equal(200)
        server.clock.advance(HOUR_MS + 1000)
        expect(await call()).to.equal(401)
        await other.close()
      })

      it('ends what would outlast it', async () => {
        const before = await allow({})
        const boxed = await allow({ duration: '1h' })
        expect(await status(before.access_token)).to.equal(401)
        expect(await status(boxed.access_token)).to.equal(200)
      })
    })

    describe('by a client that is known', () => {
      it('tells what is new from what is allowed already', async () => {
        await answer({})
        expect(server.pages.views[0]).to.deep.include({ allowedBefore: [] })
        expect(server.pages.views[0]?.signs).to.include({ isNew: true, isSelfRegistered: true })
        await answer({ choice: '1', 'permission-0': '1' }, `io.svc.photos ${SCOPE}`)
        expect(server.pages.views[1]).to.deep.include({ allowedBefore: [1, 2, 3] })
        expect(server.pages.views[1]?.signs).to.include({ isNew: false })
      })

      it('asks no tick of a group for what the client has, and ends what is unticked of it', async () => {
        const before = await allow({}, 'io.svc.files:GET,POST')
        expect(await status(before.access_token)).to.equal(200)
        const asked = 'io.svc.files:GET,POST io.svc.contacts:GET'
        const fields = {
          'permission-0-read': '1',
          'permission-1-read': '1',
          'group-people-read': '1',
        }
        const after = await allow({ choice: '2', ...fields }, asked)
        expect(after.scope).to.equal('io.svc.files:GET io.svc.contacts:GET')
        expect(await status(before.access_token), 'it could still add').to.equal(401)
      })

      it('tells the last choice of time, and when it was made', async () => {
        const at = server.clock.now()
        await allow({ duration: '1d' })
        await answer({})
        expect(server.pages.views[0]).to.not.have.any.keys('duration', 'allowedAt')
        expect(server.pages.views.at(-1)).to.include({ duration: '1d' })
        expect(server.pages.views.at(-1)?.allowedAt).to.be.within(at, server.clock.now())
      })

      it('leaves earlier access alone when nothing of it was left out', async () => {
        const before = await allow({}, 'io.svc.files:GET')
        await allow({ choice: '1', 'permission-0': '1' })
        expect(await status(before.access_token)).to.equal(200)
      })

      it('ends earlier access to what was left out now, or to a part of it', async () => {
        for (const [scope, tick, left] of [
          ['io.svc.files:GET io.svc.contacts:GET', '0', 'io.svc.files:GET'],
          ['io.svc.files:GET', '1', 'io.svc.contacts'],
        ] as const) {
          const before = await allow({}, scope)
          const after = await allow({ choice: '1', [`permission-${tick}`]: '1' })
          expect(after.scope).to.equal(left)
          expect(await status(before.access_token)).to.equal(401)
        }
      })

      it('answers 400 when what the page called allowed was cut meanwhile', async () => {
        await allow({}, 'io.svc.files:GET')
        const browser = server.browser()
        const page = await server.page(party, { scope: SCOPE }, browser)
        await server.oauth.clients.revokeGrants(server.alice, 'cut in the settings')
        const late = await browser.submit(page.page().form('/auth/authorize'))
        expect(late.status).to.equal(400)
      })
    })
  })
})
