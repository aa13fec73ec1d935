import type { Scenario } from '../group.ts'
import { CALLBACK } from '../../world/clients.ts'

/** Members that a client may set, all of them. */
const FULL = {
  redirect_uris: [CALLBACK, `${CALLBACK}/second`],
  client_kind: 'web',
  client_uri: 'https://client.contract.example/',
  logo_uri: 'https://client.contract.example/logo.svg',
  policy_uri: 'https://client.contract.example/policy',
  software_version: '1.2.3',
}

const REFUSED_URIS: readonly (readonly [string, string])[] = [
  ['http', 'http://client.contract.example/callback'],
  ['fragment', 'https://client.contract.example/callback#part'],
  ['script', 'javascript:alert(1)'],
  ['relative', '/callback'],
  ['lookalike', 'http://localhost.contract.example/callback'],
]

/** Registers one client with everything, and others with one thing missing or wrong. */
export const registration: Scenario = {
  id: 'reg',
  async run(world) {
    const { clients } = world
    const { registration: endpoint } = await world.endpoints()
    const full = clients.metadata(FULL)
    await clients.register('reg.full', full, { Origin: 'https://elsewhere.contract.example' })
    world.note('reg.full', JSON.stringify(full))
    await clients.register(
      'reg.unknown',
      clients.metadata({
        flagship: true,
        certified_from_store: true,
        pending: false,
        client_id: 'chosen-by-the-client',
        client_secret: 'chosen-by-the-client-too',
        client_secret_expires_at: 1,
        contract_unknown_member: 'kept?',
      }),
    )
    await Promise.all([
      ...['redirect_uris', 'client_name', 'software_id'].map((name) =>
        clients.register(`reg.without.${name}`, clients.metadata({ [name]: undefined })),
      ),
      ...REFUSED_URIS.map(([name, uri]) =>
        clients.register(`reg.uri.${name}`, clients.metadata({ redirect_uris: [uri] })),
      ),
      clients.register(
        'reg.uri.own',
        clients.metadata({ redirect_uris: [world.url('/callback')] }),
      ),
      clients.register(
        'reg.uri.many',
        clients.metadata({
          redirect_uris: Array.from({ length: 21 }, (_, at) => `${CALLBACK}/${at}`),
        }),
      ),
      clients.register('reg.name.long', clients.metadata({ client_name: 'x'.repeat(201) })),
      clients.register('reg.link', clients.metadata({ client_uri: 'javascript:alert(1)' })),
    ])
    await clients.register(
      'reg.loopback',
      clients.metadata({
        redirect_uris: ['http://localhost:7777/callback', 'http://127.0.0.1:7777/callback'],
      }),
    )
    await clients.register(
      'reg.scheme',
      clients.metadata({
        redirect_uris: ['org.contract.example://callback', 'contractcheck://callback'],
      }),
    )
    const empty = { client_uri: '', logo_uri: '', policy_uri: '', software_version: '' }
    await clients.register('reg.empty', clients.metadata(empty))
    await clients.register('reg.bearer', clients.metadata(), { Authorization: 'Bearer null' })
    await world.send('reg.form', endpoint, {
      method: 'POST',
      form: { client_name: 'x', software_id: 'x', redirect_uris: CALLBACK },
    })
    await world.send('reg.broken', endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"client_name":',
    })
    await world.send('reg.get', endpoint)
  },
}

/** Registers on behalf of the settings app, without being it. */
export const fromWebApp: Scenario = {
  id: 'reg.app',
  needs: ['apps'],
  async run(world) {
    const json = world.clients.metadata()
    const url = '/auth/registerFromWebApp'
    await world.send('reg.app.anybody', url, { method: 'POST', json })
    const { home = 'home' } = world.profile.apps ?? {}
    const token = await world.agent.appToken('reg.app.page', await world.owner(), home)
    await world.send('reg.app.other', url, {
      method: 'POST',
      json,
      headers: { Authorization: `Bearer ${token}` },
    })
  },
}
