import { jsonOf } from '../../model/expect.ts'
import { CALLBACK, type Client } from '../../world/clients.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

/** Reads, changes and removes a client, and uses what it held afterwards. */
export const management: Scenario = {
  id: 'mgt',
  needs: ['management'],
  async run(world) {
    const { clients } = world
    const client = await clients.registerOne('mgt.client', {
      client_uri: 'https://client.contract.example/',
      policy_uri: 'https://client.contract.example/policy',
    })
    const other = await clients.shared('main')
    await readIt(world, client, other)
    const changed = await changeIt(world, client)
    await removeIt(world, changed, other)
  },
}

async function readIt(world: World, client: Client, other: Client): Promise<void> {
  const { managementUrl: url } = client
  const unknown = url.replace(client.id, 'no-such-client')
  await Promise.all([
    world.send('mgt.get', url, { headers: bearer(client.registrationToken) }),
    world.send('mgt.get.nothing', url),
    world.send('mgt.get.broken', url, { headers: bearer('not-a-registration-token') }),
    world.send('mgt.get.query', `${url}?access_token=${client.registrationToken}`),
    world.send('mgt.get.unknown', unknown, { headers: bearer('not-a-registration-token') }),
    world.send('mgt.delete.unknown', unknown, {
      method: 'DELETE',
      headers: bearer('not-a-registration-token'),
    }),
  ])
  // An engine may take back a token that is shown for another client; then this one could not go on.
  if (world.has('pages')) {
    await world.send('mgt.get.foreign', other.managementUrl, {
      headers: bearer(client.registrationToken),
    })
  }
  await world.send('mgt.get.after', url, { headers: bearer(client.registrationToken) })
}

/** @returns the client with its new secret */
async function changeIt(world: World, client: Client): Promise<Client> {
  const { clients } = world
  const headers = bearer(client.registrationToken)
  const base = {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: [CALLBACK],
    software_id: 'https://contract.example/check',
  }
  const put = (label: string, more: Readonly<Record<string, unknown>>) =>
    world.send(label, client.managementUrl, { method: 'PUT', json: { ...base, ...more }, headers })
  await put('mgt.put', {
    client_uri: 'https://client.contract.example/new',
    flagship: true,
    pending: false,
  })
  await put('mgt.put.clear', { client_uri: '' })
  await put('mgt.put.wrong', { client_secret: 'not-the-secret-of-this-client' })
  await put('mgt.put.id', { client_id: 'another-client' })
  await world.send('mgt.get.put', client.managementUrl, { headers })
  const rotated = await put('mgt.put.secret', { client_secret: client.secret })
  const secret = String(jsonOf(rotated)['client_secret'] ?? client.secret)
  world.secrets.learn('client_secret', secret)
  await clients.exchange('mgt.secret.old', client, { code: 'no-such-code' })
  await clients.exchange('mgt.secret.new', { ...client, secret }, { code: 'no-such-code' })
  return { ...client, secret }
}

async function removeIt(world: World, client: Client, other: Client): Promise<void> {
  const { clients } = world
  const tokens = await clients.tokens('mgt.tokens', client)
  const code = await clients.code('mgt.code', client)
  if (world.has('resource')) await clients.resource('mgt.alive', tokens.access)
  const { managementUrl: url } = client
  await world.send('mgt.delete.nothing', url, { method: 'DELETE' })
  await world.send('mgt.delete.foreign', url, {
    method: 'DELETE',
    headers: bearer(`${other.registrationToken}x`),
  })
  await clients.refresh('mgt.still', client, tokens.refresh)
  const headers = bearer(client.registrationToken)
  await world.send('mgt.delete', url, { method: 'DELETE', headers })
  if (world.has('resource')) await clients.resource('mgt.dead.access', tokens.access)
  await Promise.all([
    clients.refresh('mgt.dead.refresh', client, tokens.refresh),
    clients.exchange('mgt.dead.code', client, code),
    world.send('mgt.dead.get', url, { headers }),
    world.send('mgt.delete.again', url, { method: 'DELETE', headers }),
  ])
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` }
}
