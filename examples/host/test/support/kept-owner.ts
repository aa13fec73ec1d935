import { openMember, sealedMembers, toFound } from '@svc/platform'
import type { Json } from '@svc/store'
import { openProvider } from '@svc/testkit'
import { createInstance } from '../../src/create-instance.ts'
import {
  browserAt,
  connectClient,
  findToCome,
  givePassphrase,
  plantSession,
  postToCome,
  refreshAt,
  TO_COME,
} from './owner-parts.ts'
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
  const owner = browserAt(host, instance)
  await plantSession(host, instance, owner)
  const { clientId, clientSecret, refreshToken } = await connectClient(host, instance, owner, SCOPE)
  await postToCome(host, instance, now + DAY_MS)
  const account = await importAccount(admin, domain)
  return { domain, passphrase, clientId, clientSecret, refreshToken, account, title: TO_COME }
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
  const instance = await host.app.oauth.instances.byHost(owner.domain)
  if (instance === undefined) throw new Error(`${owner.domain} is not there`)
  const loggedIn = await givePassphrase(host, instance, owner.passphrase)
  if (loggedIn.status !== 302) throw new Error(`logging in: ${loggedIn.status}`)
  await refreshAt(host, instance, owner)
  const accounts = await ok(admin('GET', `/instances/${owner.domain}/accounts`))
  if (!accounts.includes(owner.account)) throw new Error(`the account is not there: ${accounts}`)
  await findToCome(host, instance, owner.title)
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
