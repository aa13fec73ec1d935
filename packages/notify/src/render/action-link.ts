import { type AppRegistry } from '@svc/oauth-core'
import { type Instance, isSlug, originOfApp } from '@svc/platform'
import { toOwnLink } from '../mail/mail-model.ts'
import type { NotifyApps } from '../ports.ts'

const MAX_LINK_LENGTH = 2048

/** Where a mail's button leads, and the name of that app. */
export interface ActionLink {
  readonly name: string
  readonly url: string
}

/**
 * `data.redirectLink`, of the form `<slug>/#/path`, as the address of an installed app of the instance. Undefined for
 * all else: an address that an app chose freely is no place to send the owner to.
 * @see notifications.md 10.2 "default layout"
 */
export async function actionLinkOf(
  registry: AppRegistry,
  apps: NotifyApps,
  instance: Instance,
  redirectLink: unknown,
): Promise<ActionLink | undefined> {
  if (typeof redirectLink !== 'string' || redirectLink.length > MAX_LINK_LENGTH) return undefined
  const slug = redirectLink.split(/[/#]/, 1)[0] ?? ''
  if (!isSlug(slug) || /[\s\\\u0000-\u001f\u007f]/.test(redirectLink)) return undefined
  const app = await registry.installed(instance, slug)
  const link =
    apps.linkTo === undefined
      ? app && defaultLink(instance, slug, redirectLink.slice(slug.length))
      : await apps.linkTo(instance, redirectLink)
  const url = link === undefined ? undefined : toOwnLink(instance, link)
  return url === undefined ? undefined : { name: app?.name ?? slug, url }
}

function defaultLink(instance: Instance, slug: string, rest: string): string | undefined {
  const origin = originOfApp(instance, slug)
  const url = URL.parse(rest.startsWith('/') ? `${origin}${rest}` : `${origin}/${rest}`)
  return url?.origin === origin ? url.href : undefined
}
