import { type AppManifest, createOAuth, type KonnectorManifest, type OAuth } from '@svc/oauth-core'
import type { SealingKey } from '@svc/platform'

/** What tests seal with. */
export const SEALING_KEYS: readonly SealingKey[] = [{ kid: 'test', key: Buffer.alloc(32, 7) }]

export interface TestOAuthOptions
  extends Pick<
    Parameters<typeof createOAuth>[0],
    'clock' | 'limits' | 'log' | 'namespace' | 'store'
  > {
  readonly installed: ReadonlyMap<string, AppManifest>
  /** @defaultValue what is installed */
  readonly available?: (slug: string) => AppManifest | undefined
  readonly konnectors?: ReadonlyMap<string, KonnectorManifest>
}

/** The core with the apps of a map, where the cookie `session=owner` is the owner's. */
export function openOAuth({
  installed,
  available = (slug) => installed.get(slug),
  konnectors,
  ...more
}: TestOAuthOptions): OAuth {
  const oauth = createOAuth({
    ...more,
    keys: SEALING_KEYS,
    apps: {
      installed: async (_, slug) => installed.get(slug),
      listInstalled: async () => [...installed.values()],
      available: async (_, slug) => available(slug),
    },
    ...(konnectors && { konnectors: { installed: async (_, slug) => konnectors.get(slug) } }),
  })
  oauth.useSessions({
    current: async ({ headers }) =>
      headers.cookie === 'session=owner'
        ? { id: 'owner', kind: 'normal', createdAt: 0 }
        : undefined,
  })
  return oauth
}
