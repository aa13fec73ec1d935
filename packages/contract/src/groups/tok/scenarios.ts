import type { Answered } from '../../model/evidence.ts'
import { type Client, withVerifier } from '../../world/clients.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

const RACERS = 20

/** Exchanges codes as clients do. */
export const exchange: Scenario = {
  id: 'tok.exchange',
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const code = await clients.code('tok.code', client)
    await clients.exchange('tok.exchange', client, withVerifier(code))
    const origin = await clients.code('tok.origin.code', client)
    const elsewhere = { Origin: 'https://client.contract.example' }
    await clients.exchange('tok.origin', client, withVerifier(origin), {}, elsewhere)
    const basic = await clients.code('tok.basic.code', client)
    await clients.exchange(
      'tok.basic',
      client,
      withVerifier(basic),
      { client_id: undefined, client_secret: undefined },
      { Authorization: basicOf(client.id, client.secret) },
    )
    const bearer = await clients.code('tok.bearer.code', client)
    await clients.exchange(
      'tok.bearer',
      client,
      withVerifier(bearer),
      {},
      {
        Authorization: 'Bearer an-old-access-token',
      },
    )
    const bare = await clients.code('tok.bare.code', client)
    await clients.exchange('tok.bare', client, withVerifier(bare), { redirect_uri: undefined })
    const charset = await clients.code('tok.charset.code', client)
    await clients.exchange(
      'tok.charset',
      client,
      withVerifier(charset),
      {},
      {
        'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8',
      },
    )
  },
}

/** Asks for tokens with one thing missing or wrong. The code is good until the end. */
export const wrong: Scenario = {
  id: 'tok.wrong',
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const other = await clients.shared('other')
    const { token } = await world.endpoints()
    const code = await clients.code('tok.wrong.code', client)
    const ask = (
      label: string,
      fields: Readonly<Record<string, string | undefined>>,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Answered> => clients.exchange(label, client, withVerifier(code), fields, headers)
    await ask('tok.no.client', { client_id: undefined })
    await ask('tok.no.secret', { client_secret: undefined })
    await ask('tok.no.grant', { grant_type: undefined })
    await ask('tok.no.code', { code: undefined })
    await ask('tok.client.unknown', { client_id: 'no-such-client' })
    await ask('tok.secret.wrong', { client_secret: 'not-the-secret-of-this-client' })
    await ask(
      'tok.basic.wrong',
      { client_id: undefined, client_secret: undefined },
      { Authorization: basicOf(client.id, 'not-the-secret-of-this-client') },
    )
    await ask('tok.two.methods', {}, { Authorization: basicOf(other.id, other.secret) })
    for (const grant of ['password', 'client_credentials', 'implicit']) {
      await ask(`tok.grant.${grant}`, { grant_type: grant })
    }
    await ask('tok.code.unknown', { code: 'no-such-code' })
    await ask('tok.redirect', { redirect_uri: `${client.redirectUri}/other` })
    await ask('tok.foreign', { client_id: other.id, client_secret: other.secret })
    await asForm(world, client, code.code)
    await world.send('tok.get', token)
    await world.send('tok.preflight', token, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://elsewhere.contract.example',
        'Access-Control-Request-Method': 'POST',
      },
    })
  },
}

/** Uses one code many times. */
export const races: Scenario = {
  id: 'tok.races',
  async run(world) {
    const { clients } = world
    // What is used twice may end all that its client was ever given.
    const client = await clients.shared('replayed')
    const raced = await clients.code('tok.race.code', client)
    await Promise.all(
      Array.from({ length: RACERS }, (_, at) =>
        clients.exchange(`tok.racer.${at}`, client, withVerifier(raced)),
      ),
    )
    const code = await clients.code('tok.replay.code', client)
    const first = await clients.exchange('tok.replay.first', client, withVerifier(code))
    const tokens = clients.tokensOf(first)
    if (world.has('resource')) await clients.resource('tok.replay.before', tokens.access)
    await clients.exchange('tok.replay.again', client, withVerifier(code))
    if (world.has('resource')) await clients.resource('tok.replay.access', tokens.access)
    await clients.refresh('tok.replay.refresh', client, tokens.refresh)
  },
}

async function asForm(world: World, client: Client, code: string): Promise<void> {
  const { token } = await world.endpoints()
  const fields = {
    grant_type: 'authorization_code',
    code,
    client_id: client.id,
    client_secret: client.secret,
  }
  await world.send('tok.json', token, { method: 'POST', json: fields })
  await world.send('tok.query', `${token}?${new URLSearchParams(fields).toString()}`, {
    method: 'POST',
    form: {},
  })
  const twice = new URLSearchParams(fields)
  twice.append('code', 'another-code')
  await world.send('tok.twice', token, { method: 'POST', form: twice })
}

/** Credentials as RFC 6749 2.3.1 has them. */
export function basicOf(id: string, secret: string): string {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
