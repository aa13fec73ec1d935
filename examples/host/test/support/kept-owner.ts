import { deriveLoginValue } from '@svc/auth-ui'
import { type Instance, openMember, sealedMembers, toFound } from '@svc/platform'
import { type Json, recordKey } from '@svc/store'
import { browserClient, openProvider, relyingParty } from '@svc/testkit'
import { createInstance } from '../../src/create-instance.ts'
import type { TestHost } from './test-host.ts'

/** What is known of an owner whose store was kept when a version was released. */
export interface KeptOwner {
  readonly domain: string
  readonly passphrase: string
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string
  /** Id of an account at a provider. */
  readonly account: string
  /** Title of a notification that is still to come. */
  readonly title: string
}

const SCOPE = 'io.svc.files:GET'
const DAY_MS = 24 * 3_600_000

/** Makes an owner with a client, an account and a notification for tomorrow. */
export async function makeKeptOwner(
  { host, admin }: TestHost,
  domain: string,
  now: number,
): Promise<KeptOwner> {
  const passphrase = 'correct horse battery staple'
  const { instance } = await createInstance(
    host.app,
    { domain, email: 'kept@mail.example' },
    passphrase,
  )
  const party = relyingParty({ issuer: instance.origin, port: host.port })
  const client = await party.register()
  const pending = await party.authorize({ scope: SCOPE })
  const owner = browserAt(host, instance)
  const { cookie } = await host.app.ui.owners.createSession(instance)
  owner.plantCookie(`${cookie.name}=${cookie.value}; Path=/; Secure`, instance.origin)
  const answer = await owner.submit((await owner.get(pending.url)).page().form('/auth/authorize'))
  const tokens = await party.exchange(answer.location ?? '', pending)
  const title = 'Water the plants'
  await host.app.notify.post(instance, {
    originator: 'cli',
    category: 'operator',
    declaration: {},
    title,
    message: 'They are dry.',
    preferredChannels: ['mail'],
    at: new Date(now + DAY_MS).toISOString(),
  })
  return {
    domain,
    passphrase,
    clientId: String(client.client_id),
    clientSecret: String(client['client_secret']),
    refreshToken: tokens.refresh_token ?? '',
    account: await importAccount(admin, domain),
    title,
  }
}

/** @returns its id */
async function importAccount(admin: TestHost['admin'], domain: string): Promise<string> {
  const provider = await openProvider()
  try {
    const type = {
      ...provider.entry,
      slug: 'demo-photos',
      grant_mode: 'refresh_token',
      trusted_network: true,
    }
    await ok(admin('PUT', '/admin/account_types/demo-photos', type))
    const { refreshToken } = provider.grants.issue(
      String(provider.entry['client_id']),
      'photos.read',
    )
    const made = await ok(
      admin('POST', `/instances/${domain}/accounts`, {
        account_type: 'demo-photos',
        refresh_token: refreshToken,
      }),
    )
    return (JSON.parse(made) as { readonly _id: string })._id
  } finally {
    await provider.close()
  }
}

async function ok(answer: Promise<Response>): Promise<string> {
  const { ok: isGood, status } = await answer
  const text = await (await answer).text()
  if (!isGood) throw new Error(`${status}: ${text}`)
  return text
}

/** Uses what the owner had. @throws Error when something of it does not work */
export async function useKeptOwner(at: TestHost, owner: KeptOwner): Promise<void> {
  const { host, admin } = at
  const { app, store } = host
  const instance = await app.oauth.instances.byHost(owner.domain)
  if (instance === undefined) throw new Error(`${owner.domain} is not there`)
  const browser = browserAt(host, instance)
  const form = (await browser.get('/auth/login')).page().form('/auth/login')
  const key = recordKey(instance.id, 'owner', 'owner')
  const { salt, iterations } = ((await store.get(key))?.value ?? {}) as {
    readonly salt: string
    readonly iterations: number
  } // an owner's record
  const passphrase = await deriveLoginValue(owner.passphrase, salt, iterations)
  const loggedIn = await browser.submit(form, { passphrase })
  if (loggedIn.status !== 302) throw new Error(`logging in: ${loggedIn.status}`)
  const refreshed = await browserAt(host, instance).post('/auth/access_token', {
    grant_type: 'refresh_token',
    refresh_token: owner.refreshToken,
    client_id: owner.clientId,
    client_secret: owner.clientSecret,
  })
  if (refreshed.status !== 200) throw new Error(`refreshing: ${refreshed.text}`)
  const accounts = await ok(admin('GET', `/instances/${owner.domain}/accounts`))
  if (!accounts.includes(owner.account)) throw new Error(`the account is not there: ${accounts}`)
  const { notifications } = await app.notify.operator.list(instance, {})
  const waits = notifications.find(({ title }) => title === owner.title)
  if (waits === undefined) throw new Error('nothing is to come')
}

/** Opens every sealed value of the store. @returns how many there are */
export async function openEverySeal({ host }: TestHost): Promise<number> {
  const { records, sealer } = host.app.oauth
  let opened = 0
  for await (const entry of host.store.dump()) {
    if (entry.type !== 'record') continue
    const found = toFound<Json>(entry)
    const kind = records.get(found.kind)
    if (kind === undefined) throw new Error(`nobody knows records of the kind ${found.kind}`)
    for (const member of sealedMembers(kind, found)) {
      openMember(sealer, member)
      opened += 1
    }
  }
  return opened
}

function browserAt({ port }: TestHost['host'], { origin }: Instance) {
  return browserClient({ base: origin, port })
}
