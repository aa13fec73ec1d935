import type { Scenario } from '../group.ts'

const ABSENT = [
  '/.well-known/openid-configuration',
  '/jwks',
  '/auth/jwks',
  '/me',
  '/auth/userinfo',
  '/token/introspection',
  '/auth/introspect',
  '/request',
  '/auth/par',
]

/** Reads the document that describes the server, and asks for what it must not have. */
export const metadata: Scenario = {
  id: 'met',
  async run(world) {
    const { authorization, token, registration, revocation } = await world.endpoints()
    const path = '/.well-known/oauth-authorization-server'
    const origin = 'https://elsewhere.contract.example'
    await world.send('met.cors', path, { headers: { Origin: origin } })
    await world.send('met.head', path, { method: 'HEAD' })
    await Promise.all([
      world.send('met.authorization', authorization, { headers: { Accept: 'text/html' } }),
      world.send('met.token', token, { method: 'POST', form: {} }),
      world.send('met.registration', registration, { method: 'POST', body: '' }),
      world.send('met.revocation', revocation, { method: 'POST', form: {} }),
      ...ABSENT.map((absent) => world.send(`met.absent.${absent}`, absent)),
    ])
    const client = await world.clients.shared('main')
    const code = await world.clients.code('met.code', client)
    world.note('met.code.location', code.consent.location)
  },
}
