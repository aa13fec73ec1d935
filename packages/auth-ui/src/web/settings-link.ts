import { type AppRegistry } from '@svc/oauth-core'
import { type Instance, originOfApp } from '@svc/platform'

/** The settings app as a place to come from and go back to. */
export interface SettingsLink {
  readonly href: string
  readonly origin: string
}

/** Where `from=settings` leads back to, or undefined where there is no such app. @see login.md 5.5 */
export type FindSettings = (instance: Instance) => Promise<SettingsLink | undefined>

/** The address is made of the instance and the host's own slug, never of what was sent. */
export function createFindSettings(
  apps: Pick<AppRegistry, 'installed'>,
  settingsSlug: string,
): FindSettings {
  return async function findSettings(instance) {
    if ((await apps.installed(instance, settingsSlug)) === undefined) return undefined
    const origin = originOfApp(instance, settingsSlug)
    return { href: `${origin}/#/profile/email`, origin }
  }
}
