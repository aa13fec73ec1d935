import { type BrowserResponse, openProvider, type Provider } from '@svc/testkit'
import { expect } from 'chai'
import { startTestHost, type TestHost } from './test-host.ts'

type Body = Readonly<Record<string, unknown>>

/** A host with a provider beside it, whose account type is `demo-photos`, of the konnector `demo-photos`. */
export interface AccountHost extends TestHost {
  readonly provider: Provider
  /** Connects an account in a browser of the owner. @returns its id */
  connectAccount(): Promise<string>
  /** Calls an endpoint of the instance with a token. */
  call(
    token: string | AppAccess,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<BrowserResponse>
  /** Token of a konnector, which gets installed. */
  konnector(slug: string): Promise<string>
  appToken(slug: string): Promise<AppAccess>
  /** Calls the admin listener below the instance. */
  adminJson(method: string, path: string, body?: unknown, status?: number): Promise<Body>
}

/** An app's token counts with its session. */
export interface AppAccess {
  readonly token: string
  readonly cookie: string
}

export const PHOTOS_TYPE = {
  slug: 'demo-photos',
  grant_mode: 'authorization_code',
  trusted_network: true,
}

export async function startAccountHost(
  env: Readonly<Record<string, string>> = {},
): Promise<AccountHost> {
  const host = await startTestHost({ SVC_LIFETIMES_REALTIME_SHUTDOWN: '0ms', ...env })
  const provider = await openProvider()
  const domain = host.instance.domain
  if (env['SVC_ACCOUNT_TYPES_FILE'] === undefined) {
    const body = { ...PHOTOS_TYPE, ...provider.entry }
    expect((await host.admin('PUT', '/admin/account_types/demo-photos', body)).status).to.equal(201)
  }

  async function adminJson(
    method: string,
    path: string,
    body?: unknown,
    status = 200,
  ): Promise<Body> {
    const answer = await host.admin(method, `/instances/${domain}${path}`, body)
    const text = await answer.text()
    expect(answer.status, text).to.equal(status)
    return text === '' ? {} : (JSON.parse(text) as Body)
  }

  return {
    ...host,
    provider,
    adminJson,
    async connectAccount() {
      const owner = await host.browser()
      const start = await owner.get('/accounts/demo-photos/start?state=app-state')
      expect(start.status, start.text).to.equal(302)
      const answer = await fetch(String(start.location), { redirect: 'manual' })
      const back = await owner.get(String(answer.headers.get('location')))
      expect(back.status, back.text).to.equal(302)
      const { origin, searchParams } = new URL(String(back.location))
      expect(origin).to.equal(host.app('home'))
      expect(searchParams.get('state')).to.equal('app-state')
      return String(searchParams.get('account'))
    },
    async call(access, method, path, body) {
      const { token, cookie } = typeof access === 'string' ? { token: access, cookie: '' } : access
      const client = await host.browser(undefined, { anonymous: true })
      return client.request(method, path, {
        credentials: false,
        headers: {
          authorization: `Bearer ${token}`,
          ...(cookie !== '' && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    },
    async konnector(slug) {
      await adminJson('POST', '/konnectors', { slug }, 201)
      const { token } = await adminJson('POST', `/konnectors/${slug}/tokens`, undefined, 201)
      return String(token)
    },
    async appToken(slug) {
      const answer = await adminJson('POST', '/app-tokens', { slug }, 201)
      return answer as unknown as AppAccess // as the admin listener answers
    },
    async stop() {
      await host.stop()
      await provider.close()
    },
  }
}
