import type { Instance } from '@svc/platform'
import type { Client } from '../clients/client.ts'
import type { OAuthServices } from '../services.ts'

/** The clients with when they last got and used a token. */
export async function withStamps(
  { engine }: Pick<OAuthServices, 'engine'>,
  instance: Instance,
  found: readonly Client[],
): Promise<Client[]> {
  const ids = found.map(({ id }) => id)
  const [refreshed, used] = await Promise.all([
    engine.lastRefreshed.read(instance, ids),
    engine.lastUsed.read(instance, ids),
  ])
  return found.map((client) => {
    const lastRefreshedAt = refreshed.get(client.id)?.at
    const { at: lastUsedAt = lastRefreshedAt, from: lastUsedFrom } = used.get(client.id) ?? {}
    return {
      ...client,
      ...(lastRefreshedAt === undefined ? {} : { lastRefreshedAt }),
      ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
      ...(lastUsedFrom === undefined ? {} : { lastUsedFrom }),
    }
  })
}
