import { createHmac, randomBytes, scryptSync } from 'node:crypto'
import http from 'node:http'
import { recordKey } from '@svc/store'
import { browserClient, requestLoopback } from '@svc/testkit'
import { createInstance } from '../../src/create-instance.ts'
import { loadConfig } from '../../src/config/config.ts'
import { type RunningHost, startHost } from '../../src/host.ts'

/** An instance with one of everything that is sealed for its owner. */
export interface SealedOwner {
  readonly domain: string
  readonly clientId: string
  readonly clientSecret: string
  readonly refreshToken: string
  /** Of the authenticator app. */
  readonly totp: Buffer
  readonly accountId: string
}

const ADMIN_TOKEN = randomBytes(24).toString('hex')
const LOGIN_VALUE = randomBytes(32).toString('base64')
const TYPE = 'faulty'
/** What the account of an owner holds. */
const tokenOf = (domain: string): string => `access of ${domain}`
/** Instances that are made at a time. */
const PARALLEL = 4
const SILENT = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  store: { warn: () => {}, error: () => {} },
  flush: async () => {},
  flushNow: () => {},
}

/** Opens the store in this process, does something, and lets go of it. */
async function inProcess<Result>(
  env: Readonly<Record<string, string>>,
  use: (host: RunningHost) => Promise<Result>,
): Promise<Result> {
  const ports = { SVC_PORT: '0', SVC_ADMIN_PORT: '0', SVC_DRAIN: '0s', SVC_DEMO: 'off' }
  const config = loadConfig({ ...env, ...ports, SVC_ADMIN_TOKEN: ADMIN_TOKEN })
  const host = await startHost({ config, log: SILENT, notice: () => {} })
  try {
    return await use(host)
  } finally {
    await host.stop()
  }
}

/** Makes the instances, without a browser. */
export function makeOwners(
  env: Readonly<Record<string, string>>,
  count: number,
): Promise<readonly SealedOwner[]> {
  return inProcess(env, async (host) => {
    const made = await fetch(`http://127.0.0.1:${host.adminPort}/admin/account_types/${TYPE}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        slug: TYPE,
        grant_mode: 'refresh_token',
        client_id: 'client',
        client_secret: 'secret',
        token_endpoint: 'https://provider.example/token',
      }),
    })
    if (!made.ok) throw new Error(`account type: ${made.status} ${await made.text()}`)
    const owners: SealedOwner[] = []
    const agent = new http.Agent({ keepAlive: true, timeout: 4000 })
    let next = 0
    async function worker(): Promise<void> {
      for (let at = next++; at < count; at = next++) {
        owners.push(await makeOwner(host, agent, `i${at}.example.com`))
      }
    }
    await Promise.all(Array.from({ length: PARALLEL }, worker))
    agent.destroy()
    return owners
  })
}

async function makeOwner(
  host: RunningHost,
  agent: http.Agent,
  domain: string,
): Promise<SealedOwner> {
  const { oauth, ui, accounts } = host.app
  const { instance } = await createInstance(host.app, { domain })
  await ui.owners.importPassphrase(instance, {
    over: 'login-value',
    hash: STORED_HASH,
    salt: 'me',
    iterations: 650_000,
  })
  const totp = randomBytes(20)
  const factor = {
    id: 'app',
    // As the package that keeps it seals it.
    secret: oauth.sealer.seal(totp, `totp:${instance.id}:app`),
    lastStep: 0,
    createdAt: Date.now(),
  }
  const record = await host.store.get(recordKey(instance.id, 'owner', 'owner'))
  if (record === undefined) throw new Error('no owner')
  const value = { ...(record.value as object), factors: { totp: factor } }
  await host.store.write([{ op: 'put', key: record.key, value, ifRevision: record.revision }])

  const { clientId, clientSecret } = await registerClient(host.port, agent, domain)
  const tokens = await oauth.clients.issueTokens(instance, clientId, 'io.svc.notes')
  const account = await accounts.connectors.importAccount(instance, {
    accountType: TYPE,
    refreshToken: `refresh of ${domain}`,
    accessToken: tokenOf(domain),
    expiresAt: Date.now() + 30 * 24 * 3_600_000,
  })
  return {
    domain,
    clientId,
    clientSecret,
    refreshToken: String(tokens?.refresh_token),
    totp,
    accountId: account._id,
  }
}

/** By RFC 7591. All go over a few connections: a client address may hold no more than 256. */
async function registerClient(
  port: number,
  agent: http.Agent,
  domain: string,
): Promise<Pick<SealedOwner, 'clientId' | 'clientSecret'>> {
  const { status, body } = await requestLoopback({ port }, agent, {
    method: 'POST',
    url: new URL(`https://${domain}/auth/register`),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['https://client.example/callback'],
      client_name: 'Relying party',
      software_id: 'github.com/example/relying-party',
    }),
  })
  if (status !== 201) throw new Error(`registration: ${status} ${body.toString()}`)
  const client = JSON.parse(body.toString()) as { client_id: string; client_secret: string } // RFC 7591 3.2.1
  return { clientId: client.client_id, clientSecret: client.client_secret }
}

/** Cheap: what is shown is not the hash. */
const STORED_HASH = ((): string => {
  const salt = Buffer.alloc(16, 1)
  const key = scryptSync(LOGIN_VALUE, salt, 32, { N: 1024, r: 8, p: 1 })
  return `scrypt$1024$8$1$${salt.toString('hex')}$${key.toString('hex')}`
})()

/** @returns the status, or the error of the connection */
export async function refresh(
  port: number,
  agent: http.Agent,
  owner: SealedOwner,
): Promise<number | string> {
  try {
    const { status } = await requestLoopback({ port }, agent, {
      method: 'POST',
      url: new URL(`https://${owner.domain}/auth/access_token`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: owner.clientId,
        client_secret: owner.clientSecret,
        refresh_token: owner.refreshToken,
      }).toString(),
    })
    return status
  } catch (error) {
    return String(error)
  }
}

/** Logs in with the passphrase and a code of the authenticator app. @returns what is wrong, or undefined */
export async function logIn(port: number, owner: SealedOwner): Promise<string | undefined> {
  const browser = browserClient({ base: `https://${owner.domain}`, port })
  const headers = { accept: 'application/json' }
  const first = await browser.post('/auth/login', { passphrase: LOGIN_VALUE }, { headers })
  if (!first.text.includes('two_factor_token')) return `login: ${first.status} ${first.text}`
  const { two_factor_token: token } = first.json<{ two_factor_token: string }>()
  const fields = { 'two-factor-token': token, 'two-factor-passcode': codeOf(owner.totp) }
  const second = await browser.post('/auth/twofactor', fields, { headers })
  return second.status === 200 ? undefined : `code: ${second.status} ${second.text}`
}

/** Six digits of RFC 6238, now. */
function codeOf(secret: Buffer): string {
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const mac = createHmac('sha1', secret).update(step).digest()
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Opens what the accounts hold. @returns domains whose account does not open */
export function brokenAccounts(
  env: Readonly<Record<string, string>>,
  owners: readonly SealedOwner[],
): Promise<readonly string[]> {
  return inProcess(env, async ({ app: { oauth, accounts } }) => {
    const broken: string[] = []
    for (const { domain, accountId } of owners) {
      const instance = await oauth.instances.byHost(domain)
      const account = instance && (await accounts.store.get(instance, accountId))
      const fields =
        instance && account && (await accounts.connectors.fieldsForConnector(instance, account))
      if (JSON.stringify(fields ?? {}).includes(tokenOf(domain))) continue
      broken.push(domain)
    }
    return broken
  })
}
