import { setTimeout as delay } from 'node:timers/promises'
import { type Instance, isSlug } from '@svc/platform'
import { describeError } from '@svc/store'
import { OAuthError } from '../errors.ts'
import type { AppRegistry } from '../ports.ts'
import { type Client, linkedSlug } from './client.ts'
import type { OAuthLog } from '../log/log-events.ts'

/** Apps whose permissions no outside client may have. */
const FORBIDDEN: readonly string[] = ['settings', 'store']

/**
 * Refuses software ids that claim an app they cannot be linked to; others pass.
 * @throws OAuthError `unapproved_software_id`
 * @see oauth.md 3.5
 */
export async function checkLinkedApp(
  softwareId: string,
  instance: Instance,
  apps: Pick<AppRegistry, 'available'>,
): Promise<void> {
  const slug = linkedSlug(softwareId)
  if (slug === undefined) return
  // The spelling must not matter here: whoever resolves slugs later may be lenient.
  if (FORBIDDEN.includes(slug.trim().toLowerCase())) {
    throw unapproved('Link with store/settings is forbidden')
  }
  const app = isSlug(slug) ? await apps.available(instance, slug) : undefined
  if (app === undefined) throw unapproved('Application was not found on instance registries')
}

function unapproved(description: string): OAuthError {
  return new OAuthError('unapproved_software_id', { description })
}

/** Less than the 30 s of oauth.md 6.2 row 16: a request that is silent for so long is cut. @see docs/decisions/0205-answers-within-25-seconds.md */
export const PATIENCE_MS = 20_000
/** Between two looks: another process may be the one that installs. */
const LOOK_MS = 250
const RETRY_AFTER_S = 5

export interface LinkedAppsOptions {
  readonly apps: Pick<AppRegistry, 'install' | 'installed'>
  readonly log: OAuthLog
  /** Milliseconds. @defaultValue `20_000` */
  readonly patienceMs?: number
}

/**
 * Web apps of linked clients: installed when the owner allows one, waited for when it asks for its tokens.
 * @see oauth.md 5.3, 6.2 row 16
 */
export class LinkedApps {
  readonly #options: LinkedAppsOptions
  readonly #underWay = new Set<Promise<void>>()
  #isClosing = false

  constructor(options: LinkedAppsOptions) {
    this.#options = options
  }

  /** Installs the app in the background, unless it is there. */
  startInstall(instance: Instance, slug: string): void {
    if (this.#options.apps.install === undefined) return
    const work = this.#install(instance, slug).finally(() => this.#underWay.delete(work))
    this.#underWay.add(work)
  }

  /**
   * Resolves when the app of the client is installed, at once for a client without one.
   * @throws OAuthError 503 `temporarily_unavailable` when it is not after 20 s
   */
  async require(instance: Instance, { metadata }: Client): Promise<void> {
    const { apps, patienceMs = PATIENCE_MS } = this.#options
    const slug = linkedSlug(metadata.software_id)
    if (slug === undefined) return
    // Without anything that could install it there is nothing to wait for.
    const looks = apps.install === undefined ? 0 : Math.ceil(patienceMs / LOOK_MS)
    for (let look = 0; !(await this.#isInstalled(instance, slug)); look += 1) {
      if (look >= looks || this.#isClosing) throw notYet(slug)
      await delay(LOOK_MS)
    }
  }

  /** Ends the waiting; resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all(this.#underWay)
  }

  async #isInstalled(instance: Instance, slug: string): Promise<boolean> {
    return (await this.#options.apps.installed(instance, slug)) !== undefined
  }

  async #install(instance: Instance, slug: string): Promise<void> {
    const { apps, log } = this.#options
    const { domain } = instance
    try {
      if (await this.#isInstalled(instance, slug)) return
      await apps.install?.(instance, slug)
      log.info('app.installed', { domain, slug })
    } catch (error) {
      log.error('app.install_failed', { domain, slug, cause: describeError(error) })
    }
  }
}

function notYet(slug: string): OAuthError {
  return new OAuthError('temporarily_unavailable', {
    detail: `the app ${slug} of the client is not installed`,
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  })
}
