import { setTimeout as delay } from 'node:timers/promises'
import { describeError } from '@svc/store'
import { OAuthError } from '../errors.ts'
import type { Instance, Logger } from '@svc/platform'
import type { AppRegistry } from '../ports.ts'
import { type Client, linkedSlug } from './client.ts'

/** Web apps of linked clients: installed when the owner allows one, waited for when it asks for its tokens. */
export interface LinkedInstalls {
  /** Installs the app in the background, unless it is there. */
  begin(instance: Instance, slug: string): void
  /**
   * Resolves when the app of the client is installed, at once for a client without one.
   * @throws OAuthError 503 `temporarily_unavailable` when it is not after 20 s
   */
  demand(instance: Instance, client: Client): Promise<void>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

export interface LinkedInstallsOptions {
  readonly apps: Pick<AppRegistry, 'install' | 'installed'>
  readonly log: Logger
  /** Milliseconds. @defaultValue `20_000` */
  readonly patienceMs?: number
}

/** Less than the 30 s of oauth.md 6.2 row 16: a request that is silent for so long is cut. @see docs/decisions/0205-answers-within-25-seconds.md */
export const PATIENCE_MS = 20_000
/** Between two looks: another process may be the one that installs. */
const LOOK_MS = 250
const RETRY_AFTER_S = 5

/** @see oauth.md 5.3, 6.2 row 16 */
export function createLinkedInstalls(options: LinkedInstallsOptions): LinkedInstalls {
  const { apps, log, patienceMs = PATIENCE_MS } = options
  const underWay = new Set<Promise<void>>()
  let isClosing = false

  const isInstalled = async (instance: Instance, slug: string): Promise<boolean> =>
    (await apps.installed(instance, slug)) !== undefined

  async function install(instance: Instance, slug: string): Promise<void> {
    const { domain } = instance
    try {
      if (await isInstalled(instance, slug)) return
      await apps.install?.(instance, slug)
      log.info('app.installed', { domain, slug })
    } catch (error) {
      log.error('app.install_failed', { domain, slug, cause: describeError(error) })
    }
  }

  return {
    begin(instance, slug) {
      if (apps.install === undefined) return
      const work = install(instance, slug).finally(() => underWay.delete(work))
      underWay.add(work)
    },

    async demand(instance, { metadata }) {
      const slug = linkedSlug(metadata.software_id)
      if (slug === undefined) return
      // Without anything that could install it there is nothing to wait for.
      const looks = apps.install === undefined ? 0 : Math.ceil(patienceMs / LOOK_MS)
      for (let look = 0; !(await isInstalled(instance, slug)); look += 1) {
        if (look >= looks || isClosing) throw notYet(slug)
        await delay(LOOK_MS)
      }
    },

    async idle() {
      isClosing = true
      await Promise.all(underWay)
    },
  }
}

function notYet(slug: string): OAuthError {
  return new OAuthError('temporarily_unavailable', {
    detail: `the app ${slug} of the client is not installed`,
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  })
}
