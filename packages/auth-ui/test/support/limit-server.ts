import { RIGHT } from './exercise-factors.ts'
import type { Instance } from '@svc/platform'
import { type BrowserClient, type BrowserResponse, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import type { Bucket } from '../../src/rate-limits.ts'
import { startWithSettings } from './settings-server.ts'
import type { UiServer } from './ui-server.ts'

const HOUR_S = 3600

/** A server on which one limit allows nothing. The link `safe` has the password `sesame`. */
export interface LimitServer {
  readonly server: UiServer
  /** `METHOD path: bucket` of every answer that was held against the limit. */
  readonly held: ReadonlySet<string>
  /** Holds an answer over the limit against its row: 429 with `Retry-After`. */
  refuses(row: string, answer: BrowserResponse): void
  /** As {@link LimitServer.refuses}, where the row answers over the limit as if there was none. */
  hides(row: string, answer: BrowserResponse, status: number): void
}

/** Starts a server that allows nothing of one bucket; all others have their usual limits. */
export async function startLimited(bucket: Bucket): Promise<LimitServer> {
  const server: UiServer = await startWithSettings({
    ui: {
      factors: [RIGHT],
      limits: { [bucket]: { limit: 0, windowMs: HOUR_S * 1000 } },
      shares: {
        find: async (_instance, id) =>
          id === 'safe' ? { password: await server.ui.hashSharePassword('sesame') } : undefined,
      },
    },
  })
  const held = new Set<string>()

  function hold(row: string, answer: BrowserResponse, status: number): void {
    const pair = `${row}: ${bucket}`
    expect(answer.status, `${pair} ${answer.text.slice(0, 200)}`).to.equal(status)
    const declared = server.ui.rows.find(({ method, path }) => `${method} ${path}` === row)
    expect(declared?.statuses, pair).to.include(status)
    const named = typeof declared?.limit === 'object' ? declared.limit : []
    expect(named.map((limit) => limit.bucket)).to.include(bucket, row)
    expect([...server.exceeded], 'what was over its limit').to.include(pair)
    held.add(pair)
  }

  return {
    server,
    held,
    refuses(row, answer) {
      hold(row, answer, 429)
      expect(Number(answer.headers['retry-after']), row).to.be.within(1, HOUR_S)
    },
    hides: hold,
  }
}

/** A browser of the owner, whose login no limit counts. */
export async function ownersBrowser(server: UiServer, instance: Instance): Promise<BrowserClient> {
  const browser = server.browser(instance.origin)
  const { cookie } = await server.ui.owners.createSession(instance)
  const { name, value } = cookie
  browser.plantCookie(`${name}=${value}; Domain=${instance.domain}; Path=/; Secure`)
  return browser
}

/** What an app sends of itself. */
export async function registerApp(
  server: UiServer,
  { origin }: Instance,
): Promise<{ readonly client_id: string; readonly client_secret: unknown }> {
  const { client_id, client_secret } = await relyingParty({
    issuer: origin,
    port: server.port,
  }).register()
  return { client_id, client_secret }
}
