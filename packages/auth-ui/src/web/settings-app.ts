import { type Instance, originOfApp } from '@svc/platform'
import type { AuthUiServices } from '../services.ts'

/** A section of the settings app; `overview` is the first. */
export type SettingsSection = 'apps' | 'devices' | 'overview' | 'profile' | 'security'

/**
 * Where a mail leads: straight to a section of the settings app where there is one, else to the front door.
 * @param highlight - id of a row there
 */
export async function settingsUrl(
  { apps, options }: Pick<AuthUiServices, 'apps' | 'options'>,
  instance: Instance,
  section: SettingsSection,
  highlight?: string,
): Promise<string> {
  const { settingsSlug } = options
  if ((await apps.installed(instance, settingsSlug)) === undefined) return `${instance.origin}/`
  const place = `${originOfApp(instance, settingsSlug)}${sectionPath(instance, section)}`
  if (highlight === undefined) return place
  return `${place}${instance.subdomains === 'flat' ? '&' : '?'}highlight=${highlight}`
}

/** A section within the settings app. */
export function sectionPath({ subdomains }: Instance, section: SettingsSection): string {
  // A flat host takes the session over first, which empties what follows `#` (login.md 4.6).
  if (subdomains === 'flat') return `/?section=${section}`
  return section === 'overview' ? '/#/' : `/#/${section}`
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
