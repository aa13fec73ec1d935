import { openProvider, type Provider } from '@svc/testkit'
import { expect } from 'chai'
import { startTestHost, type TestHost } from './test-host.ts'

/** A host with a provider beside it, whose account type is `demo-photos`, of the konnector `demo-photos`. */
export interface AccountHost extends TestHost {
  readonly provider: Provider
  /** Connects an account in a browser of the owner. @returns its id */
  connectAccount(): Promise<string>
  /** Token of a konnector, which gets installed. */
  konnector(slug: string): Promise<string>
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
  if (env['SVC_ACCOUNT_TYPES_FILE'] === undefined) {
    const body = { ...PHOTOS_TYPE, ...provider.entry }
    expect((await host.admin('PUT', '/admin/account_types/demo-photos', body)).status).to.equal(201)
  }

  return {
    ...host,
    provider,
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
    async konnector(slug) {
      await host.adminJson('POST', '/konnectors', { slug }, 201)
      const { token } = await host.adminJson('POST', `/konnectors/${slug}/tokens`, undefined, 201)
      return String(token)
    },
    async stop() {
      await host.stop()
      await provider.close()
    },
  }
}
