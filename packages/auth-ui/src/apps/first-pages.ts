import { type Instance, originOfApp } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'

/**
 * Says once in a process how the first pages are reached: names of apps that lead nowhere are the usual stumble.
 * @see owner.md 8.7
 */
export class FirstPages {
  readonly #services: AuthUiServices
  #isStarted = false
  #isSaid = false

  constructor(services: AuthUiServices) {
    this.#services = services
  }

  /** Takes any instance for an example; without one, the first that is created. */
  async start(): Promise<void> {
    if (this.#isStarted) return
    this.#isStarted = true
    const { instances } = await this.#services.oauth.instances.list({ limit: 1 })
    await this.note(instances[0])
  }

  /** An instance that there is. */
  async note(instance: Instance | undefined): Promise<void> {
    if (instance === undefined || !this.#isStarted || this.#isSaid) return
    this.#isSaid = true
    this.#services.log.info('pages.reached', await firstAddresses(this.#services, instance))
  }
}

/** How the first pages of an instance are reached; without settings where the host left them out. */
export async function firstAddresses(
  { apps, options }: AuthUiServices,
  instance: Instance,
): Promise<{ readonly home: string; readonly settings?: string }> {
  const { home, homeSlug, settingsSlug } = options
  const hasSettings = (await apps.installed(instance, settingsSlug)) !== undefined
  return {
    home: home === undefined ? `${originOfApp(instance, homeSlug)}/` : `${instance.origin}${home}`,
    ...(hasSettings && { settings: `${originOfApp(instance, settingsSlug)}/` }),
  }
}
