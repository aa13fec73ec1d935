import { makePlatforms, makeSafetyNet } from '@svc/testkit/attestation'
import { expect } from 'chai'
import { REDIRECT_URI } from '../client-steps.ts'
import { MCP } from '../sample-resources.ts'
import {
  type Answer,
  METADATA,
  oauthServer,
  type OAuthServer,
  type Registered,
} from '../oauth-server.ts'
import { everywhereDocuments } from './document-servers.ts'

const OWNER = { cookie: 'session=owner' }
const OOB = 'urn:ietf:wg:oauth:2.0:oob'

/** A server that allows little of one limit, and a client that is registered there. */
interface Limited {
  readonly server: OAuthServer
  readonly client: Registered
}

interface Exercise {
  readonly limit: number
  /** @defaultValue 429 */
  readonly status?: number
  /** The last answer within the limit, and the first one over it. */
  run(limited: Limited): Promise<readonly [within: Answer, over: Answer]>
}

/** Wrong secrets are no answer of their own: over the limit, the right one is as wrong. */
const wrongSecrets = (path: string, fields: Readonly<Record<string, string>>): Exercise => ({
  limit: 1,
  status: 401,
  async run({ server, client }) {
    const send = (client_secret: string): Promise<Answer> =>
      server.send('POST', path, { form: { client_id: client.id, client_secret, ...fields } })
    const within = await send(client.secret)
    expect((await send('wrong')).status).to.equal(401)
    return [within, await send(client.secret)]
  },
})

const EXERCISES: Readonly<Record<string, Exercise>> = {
  'POST /auth/access_token: token': wrongSecrets('/auth/access_token', {
    grant_type: 'refresh_token',
    refresh_token: 'unknown',
  }),
  'POST /auth/access_token: refresh': {
    limit: 1,
    async run({ server }) {
      server.oauth.resources.add(MCP)
      const open = await server.publicClient()
      const { refresh_token } = await server.connect(open)
      return [await server.refresh(open, refresh_token), await server.refresh(open, refresh_token)]
    },
  },
  'POST /auth/authorize: assistant': {
    limit: 1,
    async run({ server }) {
      server.oauth.resources.add(MCP)
      return [
        await server.allow('https://one.example/c'),
        await server.allow('https://two.example/c'),
      ]
    },
  },
  'GET /auth/authorize: confirm-flagship': {
    limit: 1,
    async run({ server, client }) {
      const other = await server.register({ redirect_uris: [OOB] })
      return [
        await askEverything(server, client.id, METADATA.redirect_uris[0]),
        await askEverything(server, other.id, OOB),
      ]
    },
  },
  'POST /auth/clients/:clientId/attestation: attestation': {
    limit: 1,
    async run({ server, client }) {
      const own = `/auth/clients/${client.id}`
      const headers = server.bearer(client.token)
      const { body } = await server.send('POST', `${own}/challenge`, { headers })
      const made = await makeSafetyNet(await makePlatforms(), {
        challenge: String(body['nonce']),
        now: server.clock.now(),
      })
      // The server under test trusts other platforms, so this certifies nobody.
      const attest = (): Promise<Answer> =>
        server.send('POST', `${own}/attestation`, { json: { platform: 'android', ...made } })
      return [await attest(), await attest()]
    },
  },
  'POST /auth/clients/:clientId/flagship: confirm-flagship': {
    limit: 2,
    async run({ server, client }) {
      const page = await askEverything(server, client.id, METADATA.redirect_uris[0])
      const token = /name="token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
      const type = (code: string): Promise<Answer> =>
        server.send('POST', `/auth/clients/${client.id}/flagship`, { form: { token, code } })
      return [await type('wrong'), await type(server.mailedCodes[0] ?? '')]
    },
  },
  'POST /auth/revoke: token': wrongSecrets('/auth/revoke', { token: 'unknown' }),
}

/** The page of a client that asks for everything: a code that certifies it is mailed. */
function askEverything(
  server: OAuthServer,
  client_id: string,
  redirect_uri: string,
): Promise<Answer> {
  const query = new URLSearchParams({
    client_id,
    redirect_uri,
    state: 's',
    response_type: 'code',
    scope: '*',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  })
  return server.send('GET', `/auth/authorize?${query.toString()}`, { headers: OWNER })
}

describe('the limits of the routes', () => {
  it('are those of the rows', async () => {
    const { oauth } = await oauthServer()
    const named = oauth.rows.flatMap(({ method, path, limit }) =>
      (typeof limit === 'object' ? limit : [])
        // That of registrations: routes.test.ts.
        .filter(({ bucket }) => bucket !== 'oauth-client')
        .map(({ bucket }) => `${method} ${path}: ${bucket}`),
    )
    expect(named).to.have.members(Object.keys(EXERCISES))
  })

  for (const [name, { limit, status = 429, run }] of Object.entries(EXERCISES)) {
    it(`refuse only what is over them: ${name}`, async () => {
      const [row = '', bucket = ''] = name.split(': ')
      // All other limits are as wide as ever.
      const server = await oauthServer({
        limits: { [bucket]: { limit, windowMs: 3_600_000 } },
        outbound: everywhereDocuments(REDIRECT_URI),
      })
      const [within, over] = await run({ server, client: await server.register() })
      expect(within.status, within.text).to.not.equal(status)
      expect(over.status, over.text).to.equal(status)
      if (status === 429) expect(Number(over.headers['retry-after'])).to.be.within(1, 3600)
      const declared = server.oauth.rows.find(({ method, path }) => `${method} ${path}` === row)
      expect(declared?.statuses).to.include.members([within.status, over.status])
    })
  }
})
