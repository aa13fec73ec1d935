import { CALLBACK } from '../../world/clients.ts'
import type { Scenario } from '../group.ts'

/** Characters that are changed on the way by those who decode and encode again. */
export const HARD_STATE = 'a+b%20c&d=e/f?g#h "i" <j> é \u{1f511} ~!*()\''

/** URIs that are nearly the registered one. */
const NEARLY: readonly (readonly [string, string])[] = [
  ['case', CALLBACK.replace('/callback', '/Callback')],
  ['slash', `${CALLBACK}/`],
  ['port', CALLBACK.replace('.example/', '.example:443/')],
  ['query', `${CALLBACK}?next=1`],
  ['dots', CALLBACK.replace('/callback', '/x/%2e%2e/callback')],
  ['sub', CALLBACK.replace('client.', 'evil.client.')],
  ['user', CALLBACK.replace('https://', 'https://client.contract.example@evil.')],
]

/** Asks the owner for a client, twice. */
export const consent: Scenario = {
  id: 'aut.consent',
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const allowed = await clients.code('aut.ok', client, { state: HARD_STATE })
    world.note('aut.ok.location', allowed.consent.location)
    await clients.exchange('aut.ok.exchange', client, allowed)
    const again = await clients.code('aut.again', client)
    world.note('aut.again.location', again.consent.location)
  },
}

/** Asks the owner, who refuses. */
export const refusal: Scenario = {
  id: 'aut.refuse',
  needs: ['pages'],
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const url = await clients.authorizeUrl(client, { state: HARD_STATE }, 'c'.repeat(43))
    const refused = await world.agent.consent('aut.refuse', await world.owner(), url, 'refuse')
    world.note('aut.refuse.location', refused.location)
  },
}

/** Asks with one thing wrong; the browser is logged in. */
export const refusals: Scenario = {
  id: 'aut.refusals',
  async run(world) {
    const { clients } = world
    const client = await clients.shared('main')
    const other = await clients.shared('other')
    const browser = await world.owner()
    const good = await clients.authorizeUrl(client, {}, 'c'.repeat(43))
    const without = (name: string): string => changed(good, { [name]: undefined })
    await Promise.all([
      browser.visit('aut.no.state', without('state')),
      browser.visit('aut.no.client', without('client_id')),
      browser.visit('aut.no.redirect', without('redirect_uri')),
      browser.visit('aut.no.type', without('response_type')),
      browser.visit('aut.no.scope', without('scope')),
      browser.visit('aut.client.unknown', changed(good, { client_id: 'no-such-client' })),
      browser.visit('aut.type.token', changed(good, { response_type: 'token' })),
      browser.visit('aut.type.hybrid', changed(good, { response_type: 'code id_token' })),
      browser.visit('aut.twice', `${good}&client_id=${client.id}`),
      browser.visit(
        'aut.scope.all',
        changed(good, { scope: '*', code_challenge: undefined, code_challenge_method: undefined }),
      ),
      browser.visit(
        'aut.scope.install',
        changed(good, { scope: `${world.profile.namespace}.apps:POST` }),
      ),
      browser.visit(
        'aut.scope.sessions',
        changed(good, { scope: `${world.profile.namespace}.sessions:GET` }),
      ),
      browser.visit('aut.scope.broken', changed(good, { scope: 'Not A Scope::' })),
      browser.visit('aut.script', changed(good, { state: '"><script>alert(1)</script>' })),
      browser.visit(
        'aut.foreign',
        changed(good, { redirect_uri: 'https://other.contract.example/callback' }),
      ),
      ...NEARLY.map(([name, uri]) =>
        browser.visit(`aut.nearly.${name}`, changed(good, { redirect_uri: uri })),
      ),
    ])
    world.note('aut.other', other.id)
    const stranger = world.browser()
    await stranger.visit(
      'aut.stranger.wrong',
      changed(good, { redirect_uri: 'https://evil.example/' }),
    )
    await stranger.visit('aut.stranger', good)
    world.note('aut.stranger.url', good)
  },
}

/** A program on this machine; nobody visits it. */
export const PROGRAM = 'http://127.0.0.1:33418/callback'

/** What is wrong with a request, and what its client is told. */
export const FAULTS: readonly (readonly [
  id: string,
  label: string,
  changes: Readonly<Record<string, string | undefined>>,
  error: string,
])[] = [
  ['AUT-050', 'scope', { scope: 'Not A Scope::' }, 'invalid_scope'],
  ['AUT-051', 'resource', { resource: 'https://other.contract.example/mcp' }, 'invalid_target'],
  [
    'AUT-052',
    'open',
    { code_challenge: undefined, code_challenge_method: undefined },
    'invalid_request',
  ],
  ['AUT-053', 'plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['AUT-054', 'type', { response_type: 'token' }, 'unsupported_response_type'],
  ['AUT-055', 'mode', { response_mode: 'fragment' }, 'invalid_request'],
]

/**
 * Asks with one thing wrong as a client that has no secret. Where it cannot register nothing more is asked, and the
 * checks are skipped.
 */
export const faults: Scenario = {
  id: 'aut.faults',
  needs: ['pages'],
  async run(world) {
    const { clients } = world
    const metadata = clients.metadata({
      software_id: undefined,
      token_endpoint_auth_method: 'none',
      redirect_uris: [PROGRAM, CALLBACK],
    })
    const client = clients.clientOf(await clients.register('aut.faults.client', metadata))
    if (client === undefined) return
    const program = await clients.authorizeUrl(client, {}, 'c'.repeat(43))
    const browser = await world.owner()
    for (const [, label, changes] of FAULTS) {
      await browser.visit(`aut.fault.${label}`, changed(program, changes))
    }
    world.note('aut.fault.state', new URL(program).searchParams.get('state') ?? '')
    await browser.visit(
      'aut.fault.of.site',
      changed(program, { redirect_uri: CALLBACK, scope: 'Not A Scope::' }),
    )
    const stranger = world.browser()
    await stranger.visit('aut.fault.of.stranger', changed(program, { scope: 'Not A Scope::' }))
  },
}

/** The same address with these parameters; `undefined` leaves one out. */
export function changed(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(address)
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.href
}
