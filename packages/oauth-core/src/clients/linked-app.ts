import { OAuthError } from '../errors.ts'
import { type Instance, isSlug } from '@svc/platform'
import type { AppRegistry } from '../ports.ts'
import { linkedSlug } from './client.ts'

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
