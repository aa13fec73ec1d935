import { browserClient, until } from '@svc/testkit'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type DevProvider, startDevProvider } from '../../src/demo/provider/dev-provider.ts'
import { callAdmin, type TourOwner } from './tour-owner.ts'
import type { TourStage } from './tour-stage.ts'

/** An account as tokens read it. */
export interface ReadAccount {
  readonly _id: string
  readonly _rev: string
  readonly account_type: string
  readonly oauth: Readonly<Record<string, string>>
}

/** An owner with a konnector, beside a provider. */
export interface AccountRound {
  readonly provider: DevProvider
  /** Token of the konnector. */
  token(owner: TourOwner): Promise<string>
  /** Installs the konnector. */
  install(owner: TourOwner): Promise<void>
  /** What the konnector reads, of the other process where there are two. */
  accounts(owner: TourOwner): Promise<readonly ReadAccount[]>
  /** Waits until what the konnector reads is as wanted. */
  until(owner: TourOwner, isWanted: (account: ReadAccount) => boolean): Promise<ReadAccount>
  /** Status of the provider's resource for a token. */
  photos(accessToken: string): Promise<number>
  /** As the person does at the provider. */
  revokeAll(page: Page): Promise<void>
  close(): Promise<void>
}

/** @param tokenLifeMs - of the provider's access tokens */
export async function openRound(stage: TourStage, tokenLifeMs: number): Promise<AccountRound> {
  const provider = await startDevProvider({ port: 0, tokenLifeMs })
  await callAdmin(stage.admin, 'PUT', '/admin/account_types/demo-photos', provider.entry)

  async function token({ domain }: TourOwner): Promise<string> {
    const path = `/instances/${domain}/konnectors/demo-photos/tokens`
    const answer = await callAdmin(stage.admin, 'POST', path)
    return (answer as { token: string }).token // as the admin listener answers
  }

  // One for all owners: the host takes only so many connections of one address.
  const client = browserClient({ base: 'http://localhost', port: stage.port('elsewhere') })

  async function accounts(owner: TourOwner): Promise<readonly ReadAccount[]> {
    const answer = await client.request('GET', `${owner.origin}/data/io.svc.accounts`, {
      from: 'none',
      credentials: false,
      headers: { authorization: `Bearer ${await token(owner)}` },
    })
    expect(answer.status).to.equal(200)
    return answer.json<{ documents: readonly ReadAccount[] }>().documents
  }

  return {
    provider,
    token,
    accounts,
    async install({ domain }) {
      const body = { slug: 'demo-photos' }
      await callAdmin(stage.admin, 'POST', `/instances/${domain}/konnectors`, body)
    },
    async until(owner, isWanted) {
      return until(async () => (await accounts(owner)).find(isWanted), { limitMs: 15_000 })
    },
    async photos(accessToken) {
      const headers = { authorization: `Bearer ${accessToken}` }
      const response = await fetch(`${provider.origin}/photos`, { headers })
      return response.status
    },
    async revokeAll(page) {
      await page.goto(`${provider.origin}/grants`)
      const button = page.getByRole('button', { name: 'Revoke' })
      for (let left = await button.count(); left > 0; left -= 1) {
        await button.first().click()
        await page.waitForURL(`${provider.origin}/grants`)
      }
      await page.getByText('Nobody has access').waitFor()
    },
    close: () => provider.close(),
  }
}
