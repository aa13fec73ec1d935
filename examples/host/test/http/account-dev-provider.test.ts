import { createHash, randomBytes } from 'node:crypto'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { type DevProvider, startDevProvider } from '../../src/demo/provider/dev-provider.ts'

type Body = Readonly<Record<string, string>>

const REDIRECT = 'http://alice.localhost:8080/accounts/demo-photos/redirect'

describe('the provider for development', () => {
  const clock = fakeClock()
  const verifier = randomBytes(32).toString('base64url')
  let provider: DevProvider

  before(async () => {
    provider = await startDevProvider({ port: 0, tokenLifeMs: 60_000, clock })
  })
  after(() => provider.close())

  function post(path: string, fields: Body, headers: Body = {}): Promise<Response> {
    const init = { method: 'POST', redirect: 'manual', headers } as const
    return fetch(provider.origin + path, { ...init, body: new URLSearchParams(fields) })
  }

  function page(changes: Body = {}): Promise<Response> {
    const query = new URLSearchParams({
      client_id: 'svc',
      redirect_uri: REDIRECT,
      response_type: 'code',
      state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope: 'photos.read',
      ...changes,
    })
    return fetch(`${provider.origin}/authorize?${query}`)
  }

  async function decide(answer: 'allow' | 'refuse'): Promise<URLSearchParams> {
    const html = await (await page()).text()
    const [, request = ''] = /name="request" value="([\w-]+)"/.exec(html) ?? []
    const answered = await post('/authorize', { request, answer })
    expect(answered.status).to.equal(302)
    expect((await post('/authorize', { request, answer })).status, 'once').to.equal(400)
    return new URL(answered.headers.get('location') ?? '').searchParams
  }

  async function token(fields: Body): Promise<[number, Body]> {
    const { client_id: id, client_secret: secret } = provider.entry
    const client = { client_id: String(id), client_secret: String(secret) }
    const answer = await post('/token', { ...client, ...fields })
    return [answer.status, (await answer.json()) as Body]
  }

  async function connect(): Promise<Body> {
    const code = (await decide('allow')).get('code') ?? ''
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
    const [status, tokens] = await token({ ...fields, code_verifier: verifier })
    expect(status).to.equal(200)
    return tokens
  }

  async function photos(accessToken = ''): Promise<number> {
    const headers = { authorization: `Bearer ${accessToken}` }
    return (await fetch(`${provider.origin}/photos`, { headers })).status
  }

  const refresh = (refreshToken = ''): Promise<[number, Body]> =>
    token({ grant_type: 'refresh_token', refresh_token: refreshToken })

  it('ends a grant whose refresh token is used twice', async () => {
    const tokens = await connect()
    const [, fresh] = await refresh(tokens['refresh_token'])
    expect((await refresh(tokens['refresh_token']))[0]).to.equal(400)
    expect(await photos(fresh['access_token'])).to.equal(401)
    expect((await refresh(fresh['refresh_token']))[0]).to.equal(400)
  })

  it('takes a code once, and ends its grant when it comes twice; a late one is refused', async () => {
    const exchange = (code: string): Promise<[number, Body]> =>
      token({
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
      })
    const code = (await decide('allow')).get('code') ?? ''
    const [, tokens] = await exchange(code)
    expect(await photos(tokens['access_token'])).to.equal(200)
    expect(await exchange(code)).to.deep.equal([400, { error: 'invalid_grant' }])
    expect(await photos(tokens['access_token'])).to.equal(401)
    const late = (await decide('allow')).get('code') ?? ''
    clock.advance(60_000)
    expect(await exchange(late)).to.deep.equal([400, { error: 'invalid_grant' }])
  })

  it('gives nothing for a code with another verifier, or to another client', async () => {
    const code = (await decide('allow')).get('code') ?? ''
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT }
    expect(await token({ ...fields, client_secret: 'guess' })).to.deep.equal([
      401,
      { error: 'invalid_client' },
    ])
    expect((await token({ ...fields, code_verifier: 'guess' }))[0]).to.equal(400)
  })

  for (const [name, changes] of [
    ['another client', { client_id: 'other' }],
    ['an address of another machine', { redirect_uri: 'https://evil.example/' }],
    ['no PKCE', { code_challenge_method: 'plain' }],
    ['another scope', { scope: 'everything' }],
  ] as const) {
    it(`shows what is wrong with a request with ${name}, and leads nowhere`, async () => {
      const answer = await page(changes)
      expect(answer.status).to.equal(400)
      expect(await answer.text()).to.include('cannot be answered')
    })
  }

  it('lets a grant be revoked by its own page, and by its client', async () => {
    const tokens = await connect()
    const html = await (await fetch(`${provider.origin}/grants`)).text()
    const path = [...html.matchAll(/action="(\/grants\/\w+\/revoke)"/g)].at(-1)?.[1] ?? ''
    expect((await post(path, {}, { origin: 'https://evil.example' })).status).to.equal(400)
    expect(await photos(tokens['access_token'])).to.equal(200)
    expect((await post(path, {}, { origin: provider.origin })).status).to.equal(302)
    expect(await photos(tokens['access_token'])).to.equal(401)

    const others = await connect()
    const { client_id: id, client_secret: secret } = provider.entry
    const client = { client_id: String(id), client_secret: String(secret) }
    const revoked = await post('/revoke', { ...client, token: others['refresh_token'] ?? '' })
    expect(revoked.status).to.equal(200)
    expect(await photos(others['access_token'])).to.equal(401)
  })
})
