import { randomBytes } from 'node:crypto'
import { fakeClock, type OpenStore } from '@svc/testkit'
import { type OAuthServer, oauthServer } from '../oauth-server.ts'

export const PARALLEL = 20
export const MANY = { limit: 10_000, windowMs: 3_600_000 }

type Servers = readonly [OAuthServer, OAuthServer]

/** Two processes on one store where the engine can; else the same process twice. */
export async function twoProcesses(
  open: OpenStore,
  engine: string,
  options: Parameters<typeof oauthServer>[0] = {},
): Promise<Servers> {
  const clock = fakeClock()
  const store = await open({ clock })
  const shared = { clock, keys: [{ kid: 'k', key: randomBytes(32) }], ...options }
  const first = await oauthServer({ ...shared, store })
  if (engine !== 'Redis') return [first, first]
  const again = await open({ clock, sameAs: store })
  return [first, await oauthServer({ ...shared, store: again, isSecondProcess: true })]
}

/** The same at once, in turn in each of them. */
export const inParallel = <Result>(
  servers: Servers,
  act: (server: OAuthServer, n: number) => Promise<Result>,
  count = PARALLEL,
): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => act(servers[n % 2 === 0 ? 0 : 1], n)))
