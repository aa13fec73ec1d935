import type { KillableHost } from '../support/killable-host.ts'
import type { Pool } from './cases.ts'

const DOMAIN = 'alice.example.com'
const APPS = ['settings', 'home', 'safe']

/** An owner with apps and a client, and what is good to ask with. */
export async function makePool({ admin }: KillableHost, domain = DOMAIN): Promise<Pool> {
  const path = `/instances/${domain}`
  await admin('POST', '/instances', {
    domain,
    email: 'owner@mail.example',
    passphrase: 'correct horse battery staple',
  })
  const given: { token: string; cookie: string }[] = []
  for (const slug of APPS) {
    // As the route answers.
    given.push((await admin('POST', `${path}/app-tokens`, { slug })) as (typeof given)[number])
  }
  return {
    domain,
    tokens: given.map(({ token }) => token),
    cookie: given[0]?.cookie ?? '',
    values: ['io.svc.notes', 'io.svc.files', 'settings', 'home', 'x', '1', 'mine', 'code', domain],
  }
}
