import type { AuthUiServices } from '../services.ts'
import { type Instance, originOfApp } from '@svc/platform'

/** The settings app as a place to come from and go back to. */
export interface SettingsLink {
  readonly href: string
  readonly origin: string
}

/**
 * The address is made of the instance and the host's own slug, never of what was sent. Where `from=settings` leads
 * back to, or undefined where there is no such app.
 * @see login.md 5.5
 */
export async function findSettings(
  services: AuthUiServices,
  instance: Instance,
): Promise<SettingsLink | undefined> {
  if ((await services.apps.installed(instance, services.options.settingsSlug)) === undefined)
    return undefined
  const origin = originOfApp(instance, services.options.settingsSlug)
  return { href: `${origin}/#/profile/email`, origin }
}
