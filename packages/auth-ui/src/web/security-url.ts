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

/** As {@link securityUrl}, bound to its services. */
export type SecurityUrl = (instance: Instance) => Promise<string>
