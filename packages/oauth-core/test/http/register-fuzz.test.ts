import { scaledLimit, cpuMs } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Instance } from '@svc/platform'
import { METADATA, oauthServer, type OAuthServer, type Registered } from '../oauth-server.ts'
import { OPEN } from '../client-steps.ts'
import { resourceServer } from '../resource-server.ts'

const MANY = { 'oauth-client': { limit: 1_000_000, windowMs: 3_600_000 } }
/** A long run is asked for: `SVC_FUZZ_RUNS=100000`. */
const RUNS = Number(process.env['SVC_FUZZ_RUNS'] ?? 250)
const TIMEOUT_MS = Math.max(30_000, RUNS * 20)

const MEMBERS = [
  'redirect_uris',
  'client_name',
  'software_id',
  'software_version',
  'client_kind',
  'client_uri',
  'logo_uri',
  'policy_uri',
  'notification_platform',
  'notification_device_token',
  'notifications',
  'client_id',
  'client_secret',
  'flagship',
  'certified_from_store',
  'pending',
  'grant_types',
  'token_endpoint_auth_method',
  '__proto__',
  'constructor',
  'toString',
] as const

const SERVER_SET = ['flagship', 'certified_from_store', 'pending', '_id', '_rev', 'scope']

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom(
    '',
    'registry://home',
    'registry://store',
    'android',
    'app://cb',
    '\u0000',
    '\ud800',
  ),
)
const value = fc.oneof(
  text,
  fc.array(text, { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
)
const members = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...MEMBERS), text), value), {
  maxLength: 8,
})

/** JSON text of an object with these members, whatever their names. */
function jsonOf(pairs: readonly (readonly [string, unknown])[]): string {
  return `{${pairs.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join()}}`
}

describe('registration, fed with anything', () => {
  const headers = { 'content-type': 'application/json' }

  it('answers 201 or 400 to any JSON object, and keeps its own fields', async () => {
    const { send, bearer } = await oauthServer({ limits: MANY })
    await fc.assert(
      fc.asyncProperty(members, fc.boolean(), async (pairs, isWhole) => {
        const body = jsonOf(isWhole ? [...Object.entries(METADATA), ...pairs] : pairs)
        const answer = await send('POST', '/auth/register', { headers, body })
        expect(answer.status).to.be.oneOf([201, 400])
        expect(answer.body).not.to.have.any.keys(SERVER_SET)
        if (answer.status === 400) return void expect(answer.body['error']).to.be.a('string')
        // Only so many may wait for their owner.
        const path = `/auth/register/${String(answer.body['client_id'])}`
        const token = String(answer.body['registration_access_token'])
        expect((await send('DELETE', path, { headers: bearer(token) })).status).to.equal(204)
      }),
      { numRuns: RUNS },
    )
  })

  it('answers 201 or 400 to any JSON value and any bytes', async () => {
    const { send } = await oauthServer({ limits: MANY })
    const anything = fc.oneof(
      fc.json({ maxDepth: 6 }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.string({ unit: 'binary' }).map((each) => Buffer.from(each)),
    )
    await fc.assert(
      fc.asyncProperty(anything, async (body) => {
        const { status } = await send('POST', '/auth/register', { headers, body })
        expect(status).to.be.oneOf([201, 400])
      }),
      { numRuns: RUNS },
    )
  })

  it('answers 4xx to any path and any headers', async () => {
    const { send } = await oauthServer({ limits: MANY })
    const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'PUT', 'DELETE', 'POST'),
        text,
        fc.record({
          accept: printable,
          authorization: printable,
          'content-type': fc.oneof(printable, fc.constant('application/json')),
          'content-encoding': fc.constantFrom('', 'gzip', 'identity'),
          cookie: printable,
          origin: printable,
        }),
        async (method, segment, sent) => {
          const target = `/auth/register/${encodeURIComponent(segment.toWellFormed())}`
          const { status } = await send(method, target, { headers: sent, body: '{}' })
          expect(status).to.be.within(204, 499)
        },
      ),
      { numRuns: RUNS },
    )
  })
})

describe('registration without a secret, fed with anything', () => {
  const AT_A_TIME = 100

  it('answers 201 or 400 to any JSON object, and writes what it answers alone', async () => {
    const { send, bearer, oauth, instance } = await resourceServer({ limits: MANY })
    const before = await countClients(oauth, instance)
    const made: { readonly id: string; readonly token: string }[] = []
    let total = 0
    /** What was answered 201 is there, and nothing else; so many may wait for their owner at a time, so they go. */
    const removeMade = async (): Promise<void> => {
      expect((await countClients(oauth, instance)) - before).to.equal(made.length)
      for (const { id, token } of made.splice(0)) {
        const gone = await send('DELETE', `/auth/register/${id}`, { headers: bearer(token) })
        expect(gone.status).to.equal(204)
        total += 1
      }
    }
    await fc.assert(
      fc.asyncProperty(members, fc.constantFrom(...Object.keys(OPEN), ''), async (pairs, less) => {
        const whole = Object.entries(OPEN).filter(([name]) => name !== less)
        // What stands first counts for less: a member that comes twice is refused or the last.
        const body = jsonOf([...pairs, ...whole])
        const headers = { 'content-type': 'application/json' }
        const answer = await send('POST', '/auth/register', { headers, body })
        expect(answer.status, body).to.be.oneOf([201, 400])
        expect(answer.body).not.to.have.any.keys(SERVER_SET)
        if (answer.status === 400) expect(answer.body['error']).to.be.a('string')
        else {
          const { client_id: id, registration_access_token: token } = answer.body
          made.push({ id: String(id), token: String(token) })
        }
        if (made.length === AT_A_TIME) await removeMade()
      }),
      { numRuns: RUNS },
    )
    await removeMade()
    expect(total).to.be.above(0)
  }).timeout(TIMEOUT_MS)
})

async function countClients(oauth: OAuthServer['oauth'], instance: Instance): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await oauth.clients.list(instance, cursor === undefined ? {} : { cursor })
    count += page.clients.length
    cursor = page.cursor
  } while (cursor !== undefined)
  return count
}

describe('an update, fed with anything', () => {
  async function update(server: OAuthServer, client: Registered, body: string) {
    return server.send('PUT', `/auth/register/${client.id}`, {
      headers: { ...server.bearer(client.token), 'content-type': 'application/json' },
      body,
    })
  }

  it('answers 200 or 400, and leaves a client that GET answers the same way', async () => {
    const server = await oauthServer({ limits: MANY })
    const client = await server.register()
    await fc.assert(
      fc.asyncProperty(members, async (pairs) => {
        const own = pairs.filter(([name]) => name !== 'client_id')
        const answer = await update(server, client, jsonOf([...own, ['client_id', client.id]]))
        expect(answer.status).to.be.oneOf([200, 400])
        expect(answer.body).not.to.have.any.keys(SERVER_SET)
        const { status, body } = await server.send('GET', `/auth/register/${client.id}`, {
          headers: server.bearer(client.token),
        })
        expect(status).to.equal(201)
        if (answer.status === 200) expect(body).to.deep.equal(answer.body)
      }),
      { numRuns: RUNS },
    )
    const stored = await server.oauth.clients.get(server.instance, client.id)
    expect(stored).to.include({ pending: true, flagship: false, certifiedFromStore: false })
  })
})

describe('a field of 50 KB', () => {
  for (const name of MEMBERS.slice(0, 11)) {
    it(`called ${name} is refused without delay`, async () => {
      const { send } = await oauthServer({ limits: MANY })
      for (const part of ['a', ' ', '/', '-', '-1', '\\u202e', 'é', '%', '.', ':']) {
        const long = part.repeat(Math.floor(50_000 / Buffer.byteLength(part)))
        const content = `"${long}"`
        const json = JSON.stringify({ ...METADATA, [name]: undefined }).slice(0, -1)
        const body = `${json},"${name}":${name === 'redirect_uris' ? `[${content}]` : content}}`
        const headers = { 'content-type': 'application/json' }
        const spent = await cpuMs(async () => {
          const { status } = await send('POST', '/auth/register', { headers, body })
          expect(status, part).to.equal(400)
        })
        // 50 ms to judge the field, the rest for the exchange.
        expect(spent, part).to.be.below(scaledLimit(100))
      }
    })
  }
})
