import { createHash } from 'node:crypto'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { Instance } from '@svc/platform'
import type * as configFile from '../../src/config/config.ts'
import type * as createInstanceFile from '../../src/create-instance.ts'
import type * as documentsFile from '../../src/documents/document-store.ts'
import type * as hostFile from '../../src/host.ts'
import type * as logFile from '../../src/log/log.ts'
import {
  type BenchClient,
  type BenchJob,
  type BenchServer,
  CLIENTS,
  exchangeForm,
  mintAll,
  notServed,
  PENDING,
  REDIRECT_URI,
  refreshForm,
  SCOPE,
  toMessage,
  toRegistration,
  toTokenMessage,
  VERIFIER,
} from './bench-server.ts'
import { DOCUMENT, DOCUMENT_ID, DOCUMENT_KIND } from './bare-koa.ts'
import { send } from './ask.ts'

export interface HostServerOptions {
  /** A Redis address, or `sqlite`. */
  readonly store: string
  readonly dataDir: string
  readonly instances: number
  /** Folder of the built host. */
  readonly built: string
}

/** What is measured is the work, not the refusal to do it: all limits count, and none is reached. */
const LIMITS = ['REQUESTS_PER_MINUTE', 'OAUTH_CLIENT', 'TOKEN'] as const

/** The settings of the hosts of a run. Whoever opens a store that another one made has its keys. */
export function hostEnv(store: string, dataDir: string): Readonly<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    SVC_ADMIN_PORT: '0',
    SVC_DATA_DIR: dataDir,
    SVC_DEMO_APPS: 'on',
    SVC_KEYS: `bench:${createHash('sha256').update('bench').digest('base64')}`,
    SVC_PORT: '0',
    SVC_STORE: store,
    UV_THREADPOOL_SIZE: '8',
    ...Object.fromEntries(LIMITS.map((name) => [`SVC_LIMITS_${name}`, '1000000'])),
  }
}

/** Where the instance of a number is reached. */
export function hostOf(place: number): string {
  return `i${place}.example.com`
}

/** The host as an operator runs it: built, with its log, the audit stream, limits and metrics. */
export async function startBuiltHost(options: HostServerOptions): Promise<BenchServer> {
  const { store, dataDir, instances, built } = options
  // As its main.ts does.
  process.env['UV_THREADPOOL_SIZE'] = '8'
  setFlagsFromString('--semi-space-growth-factor=1')
  const load = (file: string): Promise<unknown> =>
    import(pathToFileURL(path.join(built, file)).href)
  // What is built of these very files.
  const { loadConfig } = (await load('config/config.js')) as typeof configFile
  const { createLog } = (await load('log/log.js')) as typeof logFile
  const { startHost } = (await load('host.js')) as typeof hostFile
  const { createInstance } = (await load('create-instance.js')) as typeof createInstanceFile
  const { createDocumentStore } = (await load(
    'documents/document-store.js',
  )) as typeof documentsFile

  const config = loadConfig(hostEnv(store, dataDir))
  const host = await startHost({ config, log: createLog('info'), notice: () => {} })
  setFlagsFromString('--semi-space-growth-factor=2')
  const { oauth, ui } = host.app
  const owned = await Promise.all(Array.from({ length: instances }, (_, place) => own(place)))

  async function own(place: number): Promise<Instance> {
    const domain = hostOf(place)
    const known = await oauth.instances.byHost(domain)
    if (known !== undefined) return known
    const { instance } = await createInstance(host.app, { domain })
    // Nobody computes it: the owners have sessions.
    const hash = `scrypt$32768$8$1$${'0'.repeat(32)}$${'0'.repeat(64)}`
    await ui.owners.importPassphrase(instance, {
      over: 'login-value',
      hash,
      salt: 'bench',
      iterations: 650_000,
    })
    return instance
  }

  /** Instances so far: each takes some registrations only. */
  let made = instances
  const clients: (BenchClient & { readonly instance: Instance })[] = []
  async function register(place: number): Promise<void> {
    const instance = owned[place % owned.length] as Instance // The remainder is an index.
    const json = {
      redirect_uris: [REDIRECT_URI],
      client_name: `Bench ${place}`,
      software_id: 'github.com/example/bench',
    }
    const { body } = await send(host.port, instance.domain, 'POST', '/auth/register', { json })
    const made = JSON.parse(body) as { client_id: string; client_secret: string }
    clients.push({ id: made.client_id, secret: made.client_secret, instance })
  }

  const cookies = new Map<Instance, Promise<string>>()
  function cookieOf(instance: Instance): Promise<string> {
    let cookie = cookies.get(instance)
    if (cookie === undefined) {
      cookie = openBrowser(instance)
      cookies.set(instance, cookie)
    }
    return cookie
  }

  /** Cookies of an owner who is logged in and has seen a form. */
  async function openBrowser(instance: Instance): Promise<string> {
    const { headers } = await send(host.port, instance.domain, 'GET', '/auth/login')
    const csrf = headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
    const { cookie } = await ui.owners.createSession(instance)
    return `${cookie.name}=${cookie.value}; ${csrf}`
  }

  function authorization(client: BenchClient): Record<string, string> {
    return {
      client_id: client.id,
      state: 'bench',
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: SCOPE,
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
    }
  }

  async function codeOf(client: BenchClient, instance: Instance): Promise<string> {
    const cookie = await cookieOf(instance)
    const form = { ...authorization(client), csrf_token: cookie.slice(cookie.lastIndexOf('=') + 1) }
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    const answer = await send(host.port, instance.domain, 'POST', '/auth/authorize', {
      form,
      headers,
    })
    const code = new URL(answer.location).searchParams.get('code')
    if (code === null) throw new Error(`no code: ${answer.location}`)
    return code
  }

  /** On new instances, as no instance takes many that nobody allows. */
  async function registrations(count: number): Promise<readonly string[]> {
    const needed = Math.ceil(count / PENDING)
    await Promise.all(Array.from({ length: needed }, (_, i) => own(made + i)))
    const first = made
    made += needed
    return Array.from({ length: count }, (_, i) => toRegistration(hostOf(first + (i % needed))))
  }

  const documents = createDocumentStore(host.store)
  async function put(instance: Instance): Promise<void> {
    const document = { type: DOCUMENT_KIND, id: DOCUMENT_ID, fields: DOCUMENT }
    await documents.put(instance, document, 'any')
  }

  const mint: Readonly<
    Record<Exclude<BenchJob, 'registration' | 'route'>, (i: number) => Promise<string>>
  > = {
    async exchange(i) {
      const { instance, ...client } = clientOf(i)
      return toTokenMessage(instance.domain, exchangeForm(client, await codeOf(client, instance)))
    },
    async refresh(i) {
      const { instance, ...client } = clientOf(i)
      const issued = await oauth.clients.issueTokens(instance, client.id, SCOPE)
      return toTokenMessage(instance.domain, refreshForm(client, issued?.refresh_token ?? ''))
    },
    'log-in page': async (i) =>
      toMessage({ method: 'GET', path: '/auth/login', host: hostOf(i % instances) }),
    async 'consent page'(i) {
      const { instance, ...client } = clientOf(i)
      const asked = `/auth/authorize?${new URLSearchParams(authorization(client)).toString()}`
      const headers = { Cookie: await cookieOf(instance) }
      return toMessage({ method: 'GET', path: asked, host: instance.domain, headers })
    },
    async document(i) {
      const { instance, id } = clientOf(i)
      await put(instance)
      const issued = await oauth.clients.issueTokens(instance, id, `${DOCUMENT_KIND}:GET`)
      return toMessage({
        method: 'GET',
        path: `/data/${DOCUMENT_KIND}/${DOCUMENT_ID}`,
        host: instance.domain,
        headers: { Authorization: `Bearer ${issued?.access_token}` },
      })
    },
  }

  function clientOf(i: number): BenchClient & { readonly instance: Instance } {
    const client = clients[i % clients.length]
    if (client === undefined) throw new Error('there are no clients')
    return client
  }

  return {
    port: host.port,
    async prepare(job, count) {
      if (job === 'route') throw notServed(job)
      // One instance has as many as the other servers do; of many, each has one.
      const wanted = Math.max(CLIENTS, instances)
      for (let place = clients.length; place < wanted; place += 1) await register(place)
      if (job === 'registration') return registrations(count)
      return mintAll(count, mint[job])
    },
    close: () => host.stop(),
  }
}
