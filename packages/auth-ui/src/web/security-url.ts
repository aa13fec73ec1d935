import { type AppRegistry } from '@svc/oauth-core'
import { type Instance, originOfApp } from '@svc/platform'

/** Where a mail about a log-in leads: to what can be done about it. */
export type SecurityUrl = (instance: Instance) => Promise<string>

/** The sessions in the settings app where there is one, else the instance's front door. */
export function createSecurityUrl(apps: AppRegistry, settingsSlug: string): SecurityUrl {
  return async function securityUrl(instance) {
    const app = await apps.installed(instance, settingsSlug)
    if (app === undefined) return `${instance.origin}/`
    const origin = originOfApp(instance, settingsSlug)
    // A flat host takes the session over first, which empties what follows `#` (login.md 4.6).
    return instance.subdomains === 'flat' ? `${origin}/?section=sessions` : `${origin}/#sessions`
  }
}
