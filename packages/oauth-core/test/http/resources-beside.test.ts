import { expect } from 'chai'
import { anyStore, fakeClock } from '@svc/testkit'
import { type Answer, oauthServer, type OAuthServer } from '../oauth-server.ts'
import { claimsOf, codeOf, REDIRECT_URI, tokensOf } from '../client-steps.ts'
import { BASE, resourceServer } from '../resource-server.ts'

/** What varies by chance, in the order in which it came: secrets, identifiers and times. */
const VARYING = /(?=[\w-]*[A-Z0-9])[\w-]{20,}(?:\.[\w-]+)*|(?<=[=": ])\d{9,}/g

function comparable({ status, headers, text }: Answer): unknown {
  const { date: _, ...rest } = headers
  const said = JSON.stringify({ status, rest, text })
  return said.replaceAll(VARYING, '…').replaceAll(/"content-length\\?":\\?"\d+\\?"/g, '')
}

/** Everything that a client with a secret does which names no resource. */
async function walk(server: OAuthServer): Promise<unknown[]> {
  const { id, secret, token } = await server.register({ redirect_uris: [REDIRECT_URI] })
  const shown = { client_secret: secret }
  const page = await server.ask(id)
  const allowed = await server.allow(id)
  const code = codeOf(allowed)
  const unproved = await server.exchange(id, code, { client_secret: 'wrong' })
  const exchanged = await server.exchange(id, code, shown)
  const tokens = tokensOf(exchanged)
  const { iat, exp, aud, ...claims } = claimsOf(tokens.access_token)
  const refreshed = await server.refresh(id, tokens.refresh_token, shown)
  const [header = ''] = tokensOf(refreshed).access_token.split('.')
  const replayed = await server.exchange(id, code, shown)
  const ended = await server.refresh(id, tokens.refresh_token, shown)
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  const answers = [
    page,
    allowed,
    unproved,
    exchanged,
    refreshed,
    replayed,
    ended,
    await server.ask(id, { state: undefined }),
    await server.ask(id, { scope: undefined }),
    await server.ask(id, { redirect_uri: `${REDIRECT_URI}/x` }),
    await server.ask(id, { scope: 'io.svc.notes:*' }),
    await server.send('GET', `/auth/register/${id}`, { headers: server.bearer(token) }),
    await server.send('POST', '/auth/revoke', { form: { client_id: id, token: 'x', ...shown } }),
    await server.send('POST', '/auth/access_token', { form: { client_id: id } }),
    await server.send('GET', '/settings/clients', { headers: bearer('x') }),
  ]
  const typ: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
  const life = Number(exp) - Number(iat)
  return [
    ...answers.map(comparable),
    { aud, life, isSame: tokensOf(refreshed).refresh_token === tokens.refresh_token },
    Object.keys(claims).sort(),
    { ...(typ as object), kid: '' },
  ]
}

describe('resources beside a client with a secret that names none', () => {
  it('change nothing of its answers, headers and lifetimes, byte for byte', async () => {
    const alone = await walk(await oauthServer())
    const beside = await walk(await resourceServer())
    expect(alone).to.deep.include({ aud: 'access', life: 86_400, isSame: true })
    expect(beside).to.deep.equal(alone)
  })
})

anyStore((open) => {
  describe('what an owner changes of a resource’s grant', () => {
    const start = () => {
      const clock = fakeClock()
      return resourceServer({ clock, openStore: () => open({ clock }) })
    }
    const call = (server: OAuthServer, bearer: string) =>
      server.send('GET', '/mcp', { headers: { authorization: `Bearer ${bearer}` } })

    it('makes its token an expired one once it gives less, and the next is of what is left', async () => {
      const server = await start()
      const id = await server.publicClient()
      const tokens = await server.connect(id, { scope: 'io.svc.contacts:GET io.svc.notes:GET' })
      expect((await call(server, tokens.access_token)).status).to.equal(200)
      const { clients } = server.oauth
      const outcome = await clients.changeAccess(server.instance, id, {
        scope: 'io.svc.contacts:GET',
      })
      expect(outcome).to.equal('changed')
      const refused = await call(server, tokens.access_token)
      expect(refused.status).to.equal(401)
      expect(refused.headers['www-authenticate']).to.include('The access token expired')
      const next = tokensOf(await server.refresh(id, tokens.refresh_token))
      expect(next.scope).to.equal('io.svc.contacts:GET')
      expect(claimsOf(next.access_token)['aud']).to.equal(`${BASE}/mcp`)
      expect((await call(server, next.access_token)).status).to.equal(200)
    })
  })
})
