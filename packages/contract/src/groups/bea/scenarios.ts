import { createHmac } from 'node:crypto'
import { basicOf } from '../tok/scenarios.ts'
import type { Scenario } from '../group.ts'

/** Shows tokens of all kinds to the guarded resource. */
export const bearer: Scenario = {
  id: 'bea',
  needs: ['resource'],
  async run(world) {
    const { clients, profile } = world
    const path = profile.resource?.path ?? '/'
    const client = await clients.shared('other')
    const { access, refresh } = await clients.tokens('bea.grant', client)
    const other = await clients.tokens('bea.other', client, {
      scope: profile.resource?.other ?? '',
    })
    const show = (label: string, authorization: string) =>
      world.send(label, path, { headers: { Authorization: authorization } })
    const forged = {
      none: withHeader(access, { alg: 'none', typ: 'JWT' }, () => ''),
      key: withHeader(access, { alg: 'HS512', typ: 'JWT' }, sign('sha512', 'secret')),
      algorithm: withHeader(access, { alg: 'HS256', typ: 'JWT' }, sign('sha256', 'secret')),
      scope: withClaims(access, { scope: '*' }),
      audience: withClaims(access, { aud: 'app' }),
    }
    for (const token of Object.values(forged)) world.secrets.learn('forged_token', token)
    await Promise.all([
      show('bea.good', `Bearer ${access}`),
      show('bea.case', `bearer ${access}`),
      show('bea.broken', 'Bearer not-a-token'),
      show('bea.refresh', `Bearer ${refresh}`),
      show('bea.registration', `Bearer ${client.registrationToken}`),
      show('bea.basic', basicOf('', access)),
      show('bea.scope', `Bearer ${other.access}`),
      ...Object.entries(forged).map(([name, token]) =>
        show(`bea.forged.${name}`, `Bearer ${token}`),
      ),
      world.send('bea.nothing', path),
      world.send('bea.query', `${path}?access_token=${access}`),
      world.send('bea.query.bearer', `${path}?bearer_token=${access}`),
      world.send('bea.body', path, { method: 'POST', form: { access_token: access } }),
      world.send('bea.two', path, {
        headers: { Authorization: `Bearer ${access}` },
        moreHeaders: [['Authorization', 'Bearer another-token']],
      }),
      world.send('bea.write', path, {
        method: 'POST',
        json: {},
        headers: { Authorization: `Bearer ${access}` },
      }),
    ])
  },
}

function sign(hash: string, key: string): (text: string) => string {
  return (text) => createHmac(hash, key).update(text).digest('base64url')
}

function withHeader(
  token: string,
  header: Readonly<Record<string, string>>,
  signature: (text: string) => string,
): string {
  const [, claims = ''] = token.split('.')
  const text = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}`
  return `${text}.${signature(text)}`
}

/** The same token with other claims and the signature it had. */
function withClaims(token: string, more: Readonly<Record<string, unknown>>): string {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const known: unknown = readJson(Buffer.from(claims, 'base64url').toString())
  const changed = { ...(typeof known === 'object' && known), ...more }
  return `${header}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
