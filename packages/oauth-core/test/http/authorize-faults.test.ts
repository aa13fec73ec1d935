import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { AuthorizationResponseError, validateAuthResponse } from 'oauth4webapi'
import type { Answer, OAuthServer } from '../oauth-server.ts'
import { type Fields, OWNER } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'
import { documentAt, documentServer } from './document-servers.ts'

const LOOPBACK = 'http://127.0.0.1:33418/cb?kept=as%20is'
const SITE = 'https://assistant.example/callback'
const CUSTOM = 'quill://callback'
const STRANGER = {}

/** What is wrong with a request, and the error that its client is told. */
const FAULTS: readonly [what: string, changes: Fields, error: string][] = [
  ['a scope that cannot be read', { scope: 'Not A Scope::' }, 'invalid_scope'],
  ['a scope that is forbidden', { scope: 'io.svc.sessions:GET' }, 'invalid_scope'],
  ['everything', { scope: '*' }, 'invalid_scope'],
  ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  [
    'no challenge',
    { code_challenge: undefined, code_challenge_method: undefined },
    'invalid_request',
  ],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
  ['a method alone', { code_challenge: undefined }, 'invalid_request'],
  ['the implicit grant', { response_type: 'token' }, 'unsupported_response_type'],
  ['no response type', { response_type: undefined }, 'invalid_request'],
  ['the answer in a fragment', { response_mode: 'fragment' }, 'invalid_request'],
  ['the answer in a form', { response_mode: 'form_post' }, 'invalid_request'],
  ['a request object', { request: 'e30.e30.' }, 'invalid_request'],
  ['a pushed request', { request_uri: 'urn:x' }, 'invalid_request'],
  ['a control character', { scope: 'io.svc.notes:GET\n' }, 'invalid_request'],
]

/** What a client's library makes of where the browser was led. */
function told({ status, headers }: Answer, redirectUri: string, state = 's'): unknown {
  const location = headers['location'] ?? ''
  expect([status, location.startsWith(redirectUri)], location).to.deep.equal([302, true])
  const server = { issuer: BASE, authorization_response_iss_parameter_supported: true }
  const { searchParams } = new URL(location)
  try {
    validateAuthResponse(server, { client_id: 'x' }, searchParams, state)
  } catch (error) {
    if (error instanceof AuthorizationResponseError) return error.error
    throw error
  }
  return 'no error'
}

const isPage = ({ status, headers }: Answer): unknown => [status, headers['location']]

eachStore((open) => {
  describe('a fault of an authorization request (D92)', () => {
    let server: OAuthServer

    beforeEach(async () => {
      server = await resourceServer({ openStore: (clock) => open({ clock }) })
    })

    for (const [what, changes, error] of FAULTS) {
      it(`is told a program of this machine as ${error}: ${what}`, async () => {
        const id = await server.publicClient({ redirect_uris: [LOOPBACK] })
        const request = { redirect_uri: LOOPBACK, ...changes }
        expect(told(await server.ask(id, request), LOOPBACK)).to.equal(error)
        expect(told(await server.allow(id, request), LOOPBACK)).to.equal(error)
      })
    }

    it('is told a client with a secret that names a resource, and no other', async () => {
      const { id } = await server.register({ redirect_uris: [LOOPBACK] })
      for (const [what, changes, error] of FAULTS) {
        const request = { redirect_uri: LOOPBACK, ...changes }
        const resource = changes['resource'] ?? `${BASE}/mcp`
        const answer = await server.ask(id, { ...request, resource })
        expect(told(answer, LOOPBACK), what).to.equal(error)
      }
      for (const [what, { resource: _none, ...changes }] of FAULTS) {
        const request = { redirect_uri: LOOPBACK, ...changes }
        // Without a resource these three are no faults of theirs.
        if (['another resource', 'everything', 'no challenge'].includes(what)) continue
        expect(isPage(await server.ask(id, request)), what).to.deep.equal([400, undefined])
        expect(isPage(await server.allow(id, request)), what).to.deep.equal([400, undefined])
      }
    })

    it('is told without a state when the request had none', async () => {
      const strict = await resourceServer({
        openStore: (clock) => open({ clock }),
        assistants: { requireState: true },
      })
      const id = await strict.publicClient({ redirect_uris: [LOOPBACK] })
      const { status, headers } = await strict.ask(id, {
        redirect_uri: LOOPBACK,
        state: undefined,
      })
      const iss = encodeURIComponent(BASE)
      expect([status, headers['location']]).to.deep.equal([
        302,
        `${LOOPBACK}&error=invalid_request&iss=${iss}`,
      ])
    })

    it('is told a site by itself only when the owner allowed it before; else by a button', async () => {
      const id = await server.publicClient()
      const wrong = { scope: 'Not A Scope::' }
      const asked = await server.ask(id, wrong)
      expect(isPage(asked)).to.deep.equal([400, undefined])
      const iss = encodeURIComponent(BASE)
      expect(asked.headers['x-test-client']).to.equal(
        `assistant.example ${SITE}?error=invalid_scope&state=s&iss=${iss}`,
      )
      expect(isPage(await server.allow(id, wrong))).to.deep.equal([400, undefined])
      await server.connect(id)
      expect(told(await server.ask(id, wrong), SITE)).to.equal('invalid_scope')
      expect(told(await server.allow(id, wrong), SITE)).to.equal('invalid_scope')
    })

    it('stays on a page where a program with a scheme of its own would be told', async () => {
      const id = await server.publicClient({ redirect_uris: [CUSTOM] })
      const answer = await server.ask(id, { redirect_uri: CUSTOM, scope: '*' })
      expect(isPage(answer)).to.deep.equal([400, undefined])
      expect(answer.headers).to.not.have.property('x-test-client')
    })

    it('stays on a page when client or redirect URI are not proven, or it is too large', async () => {
      const id = await server.publicClient({ redirect_uris: [LOOPBACK] })
      const wrong = { redirect_uri: LOOPBACK, scope: '*' }
      for (const [client, changes] of [
        ['unknown', wrong],
        [id, { ...wrong, redirect_uri: 'http://127.0.0.1:33418/other' }],
        [id, { ...wrong, redirect_uri: 'https://evil.example/' }],
        [id, { ...wrong, state: 'x'.repeat(4097) }],
      ] as const) {
        expect(isPage(await server.ask(client, changes))).to.deep.equal([400, undefined])
        const anonymous = await server.ask(client, changes, STRANGER)
        expect(isPage(anonymous)).to.deep.equal([400, undefined])
      }
    })

    it('is told nobody before the owner is logged in: the login comes first', async () => {
      const id = await server.publicClient({ redirect_uris: [LOOPBACK, CUSTOM] })
      const wrong = { redirect_uri: LOOPBACK, scope: '*' }
      const shown = await server.ask(id, wrong, STRANGER)
      expect(shown.status).to.equal(302)
      expect(shown.headers['location']).to.equal('/auth/login')
      const posted = await server.allow(id, wrong, STRANGER)
      expect(isPage(posted)).to.deep.equal([400, undefined])
      const custom = await server.ask(id, { ...wrong, redirect_uri: CUSTOM }, STRANGER)
      expect(isPage(custom)).to.deep.equal([400, undefined])
    })

    it('is JSON for a script that asks for the page as data, and an address for one that answers', async () => {
      const id = await server.publicClient({ redirect_uris: [LOOPBACK] })
      const wrong = { redirect_uri: LOOPBACK, scope: '*' }
      const script = { ...OWNER, accept: 'application/json' }
      const asked = await server.ask(id, wrong, script)
      expect([asked.status, asked.body['code']]).to.deep.equal([400, 'invalid_scope'])
      const answered = await server.allow(id, wrong, script)
      expect(answered.status).to.equal(200)
      expect(answered.body['redirect']).to.include('&error=invalid_scope&state=s&iss=')
    })
  })

  describe('a fault of a request whose client a document describes (D92)', () => {
    const documents = documentServer()

    it('is told once the owner is logged in and the document was read', async () => {
      const url = documents().url()
      let calls = 0
      documents().answer = (_, response) => {
        calls += 1
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify(documentAt(url, { redirect_uris: [LOOPBACK, SITE] })))
      }
      const server = await resourceServer({
        openStore: (clock) => open({ clock }),
        outbound: documents().outbound,
      })
      for (const [what, changes, error] of FAULTS) {
        const request = { redirect_uri: LOOPBACK, ...changes }
        if (what === FAULTS[0]?.[0]) {
          const anonymous = await server.ask(url, request, STRANGER)
          expect(anonymous.headers['location']).to.equal('/auth/login')
          expect(calls).to.equal(0)
        }
        expect(told(await server.ask(url, request), LOOPBACK), what).to.equal(error)
      }
      const early = { redirect_uri: LOOPBACK, response_type: 'token' }
      const anonymous = await server.ask(url, early, STRANGER)
      expect(anonymous.headers['location']).to.equal('/auth/login')
      const unlisted = { ...early, redirect_uri: 'http://127.0.0.1:33418/other' }
      expect(isPage(await server.ask(url, unlisted))).to.deep.equal([400, undefined])

      const wrong = { scope: '*' }
      expect(isPage(await server.ask(url, wrong))).to.deep.equal([400, undefined])
      await server.connect(url)
      expect(told(await server.ask(url, wrong), SITE)).to.equal('invalid_scope')
    })
  })
})
