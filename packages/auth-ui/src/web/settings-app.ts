import { type Instance, originOfApp } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'

/** Where a mail about a login leads: to the sessions in the settings app where there is one, else to the front door. */
export async function securityUrl(
  { apps, options }: Pick<AuthUiServices, 'apps' | 'options'>,
  instance: Instance,
): Promise<string> {
  const { settingsSlug } = options
  const app = await apps.installed(instance, settingsSlug)
  if (app === undefined) return `${instance.origin}/`
  const origin = originOfApp(instance, settingsSlug)
  // A flat host takes the session over first, which empties what follows `#` (login.md 4.6).
  return instance.subdomains === 'flat' ? `${origin}/?section=sessions` : `${origin}/#sessions`
}

/** Where a mail about the owner's address leads: to the profile in the settings app where there is one. */
export async function profileUrl(
  { apps, options }: Pick<AuthUiServices, 'apps' | 'options'>,
  instance: Instance,
): Promise<string> {
  const { settingsSlug } = options
  if ((await apps.installed(instance, settingsSlug)) === undefined) return `${instance.origin}/`
  const origin = originOfApp(instance, settingsSlug)
  return instance.subdomains === 'flat' ? `${origin}/?section=profile` : `${origin}/#/profile`
}

/** The settings app as a place to come from and go back to. */
export interface SettingsLink {
  readonly href: string
  readonly origin: string
}

/**
 * Where `from=settings` leads back to, or undefined where there is no such app. The address is made of the instance
 * and the host's own slug, never of what was sent.
 * @see login.md 5.5
 */
export async function findSettingsApp(
  services: AuthUiServices,
  instance: Instance,
): Promise<SettingsLink | undefined> {
  if ((await services.apps.installed(instance, services.options.settingsSlug)) === undefined)
    return undefined
  const origin = originOfApp(instance, services.options.settingsSlug)
  return { href: `${origin}/#/profile/email`, origin }
}
