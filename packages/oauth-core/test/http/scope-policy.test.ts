import { anyStore, type RelyingParty } from '@svc/testkit'
import { expect } from 'chai'
import type { ScopePolicy, ScopeRequest } from '../../src/consent-ports.ts'
import type { Permission } from '../../src/scopes/permission.ts'
import { allow, type ConsentServer, DRIVE, startConsentServer } from './consent-server.ts'

anyStore((open) => {
  describe('the scope policy of the host', () => {
    let server: ConsentServer
    let party: RelyingParty
    let policy: ScopePolicy
    let asked: ScopeRequest[]

    beforeEach(async () => {
      asked = []
      policy = () => 'allow'
      server = await startConsentServer({
        openStore: (clock) => open({ clock }),
        scopePolicy: (request) => {
          asked.push(request)
          return policy(request)
        },
      })
      party = await server.client()
    })

    /** Status and text of the page for a request of this scope. */
    async function pageOf(scope?: string): Promise<readonly [status: number, text: string]> {
      const changes = scope === undefined ? {} : { scope }
      const page = await server.page(party, changes)
      return [page.status, page.text]
    }

    /** The same of the answer to a page that was shown before the policy decided so. */
    async function answerOf(): Promise<readonly [status: number, location: string | undefined]> {
      const decides = policy
      policy = () => 'allow'
      const browser = server.browser()
      const page = await server.page(party, {}, browser)
      policy = decides
      const answer = await browser.submit(page.page().form('/auth/authorize'), {}, 'Allow')
      return [answer.status, answer.location]
    }

    it('is asked who asks for what, and may allow all of it', async () => {
      const { scope } = await allow(server, party)
      expect(scope).to.equal('io.svc.files:GET io.svc.contacts')
      const [request] = asked
      expect(request?.instance.domain).to.equal('alice.example.com')
      expect(request?.client.id).to.equal(party.client.client_id)
      expect(request?.permissions).to.deep.equal([
        { type: 'io.svc.files', verbs: ['GET'] },
        { type: 'io.svc.contacts', verbs: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
      ])
    })

    it('takes away before the owner is asked, and the token has no more', async () => {
      policy = ({ permissions }) =>
        permissions.map((rule) => ({ ...rule, verbs: ['GET'] as const }))
      const { scope, access_token: token } = await allow(server, party, {
        scope: 'io.svc.files:POST io.svc.contacts',
      })
      expect(server.pages.views[0]?.permissions).to.deep.equal([
        { type: 'io.svc.contacts', verbs: ['GET'] },
      ])
      expect(scope).to.equal('io.svc.contacts:GET')
      expect((await server.call('/files', { token })).status).to.equal(403)
    })

    it('adds nothing: what it names beyond the request is ignored', async () => {
      policy = () => [
        { type: 'io.svc.files', verbs: ['GET', 'POST', 'DELETE'] },
        { type: 'io.svc.photos', verbs: ['GET'] },
      ]
      expect((await allow(server, party)).scope).to.equal('io.svc.files:GET')
    })

    it('changes no request through the rules that it is given', async () => {
      policy = ({ permissions }) => {
        // What the types forbid a script may do all the same.
        const rules = permissions as Permission[]
        rules.push({ type: 'io.svc.photos', verbs: ['GET'] })
        return 'allow'
      }
      expect((await allow(server, party)).scope).to.equal('io.svc.files:GET io.svc.contacts')
    })

    const refusing: readonly [name: string, policy: ScopePolicy][] = [
      ['refuse', () => 'refuse'],
      ['an empty list', () => []],
      ['rules without a verb', ({ permissions }) => permissions.map((r) => ({ ...r, verbs: [] }))],
      ['other rules', () => [{ type: 'io.svc.photos', verbs: ['GET'] }]],
      ['refuse, later', async () => 'refuse' as const],
    ]
    for (const [name, decision] of refusing) {
      it(`shows the page of a scope that is not valid for ${name}`, async () => {
        policy = decision
        const [status, text] = await pageOf()
        expect(status).to.equal(400)
        expect(text).to.include('Invalid scope')
        expect(await answerOf()).to.deep.equal([400, undefined])
      })
    }

    const failing: readonly [name: string, policy: () => unknown, cause: RegExp][] = [
      [
        'throws',
        () => {
          throw new Error('broken')
        },
        /broken/,
      ],
      ['rejects', () => Promise.reject(new Error('broken')), /broken/],
      ['answers nothing', () => undefined, /neither/],
      ['answers true', () => true, /neither/],
      ['answers what is no permission', () => [{ type: 'Files', verbs: ['GET'] }], /no scope/],
      ['answers in its own good time', () => new Promise(() => {}), /50 ms/],
    ]
    for (const [name, decision, cause] of failing) {
      it(`fails the request and allows nothing when it ${name}`, async () => {
        policy = decision as ScopePolicy // wrong on purpose
        expect((await pageOf())[0]).to.equal(500)
        expect(server.pages.views).to.deep.equal([])
        expect(await answerOf()).to.deep.equal([500, undefined])
        const line = server.logged.find((it) => it.includes('scope_policy.failed'))
        expect(line).to.match(cause).and.to.include('alice.example.com')
      })
    }

    it('is not asked about what is forbidden', async () => {
      expect((await pageOf('io.svc.sessions'))[0]).to.equal(400)
      expect(asked).to.deep.equal([])
    })

    it('leaves nothing forbidden of a request for everything', async () => {
      policy = () => [
        { type: 'io.svc.sessions', verbs: ['GET'] },
        { type: 'io.svc.files', verbs: ['GET'] },
      ]
      expect((await pageOf('*'))[0]).to.equal(400)
      policy = () => [{ type: 'io.svc.files', verbs: ['GET'] }]
      expect((await pageOf('*'))[0]).to.equal(200)
      expect(server.pages.views[0]?.fields['scope']).to.equal('io.svc.files:GET')
    })

    it('allows a linked client the whole of its app, or nothing', async () => {
      server.installed.set('drive', DRIVE)
      party = await server.client({ software_id: 'registry://drive/stable', client_kind: 'mobile' })
      expect((await allow(server, party)).scope).to.equal('@io.svc.apps/drive')
      expect(asked[0]?.permissions.map(({ type }) => type)).to.deep.equal([
        'io.svc.files',
        'io.svc.apps',
      ])
      policy = () => [{ type: 'io.svc.files', verbs: ['GET'] }]
      expect((await pageOf())[0]).to.equal(400)
    })

    it('holds for tokens that the host gives', async () => {
      policy = () => [{ type: 'io.svc.files', verbs: ['GET'] }]
      const { issueTokens } = server.oauth.clients
      const id = party.client.client_id
      const answer = await issueTokens(server.alice, id, 'io.svc.files io.svc.contacts')
      expect(answer?.scope).to.equal('io.svc.files:GET')
      policy = () => 'refuse'
      const refused = await issueTokens(server.alice, id, 'io.svc.files').catch((e: unknown) => e)
      expect(refused).to.have.property('code', 'invalid_scope')
    })
  })
})
