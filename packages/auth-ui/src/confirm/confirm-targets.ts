import type { AppRegistry } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import type { Redirects, RedirectTarget } from '../web/redirect-target.ts'

/** Where confirmations lead, and who asks for them. */
export interface ConfirmTargets {
  /** Of a `redirect` parameter; empty: home. @throws AuthUiError `bad_redirect` @see login.md 6.2 */
  parse(instance: Instance, raw: string): Promise<RedirectTarget>
  /** Name of the app or host that the target belongs to; undefined: the instance itself. */
  askedBy(instance: Instance, target: RedirectTarget): Promise<string | undefined>
}

/** What {@link createConfirmTargets} needs. */
export interface ConfirmTargetsOptions {
  readonly redirects: Redirects
  readonly apps: AppRegistry
  /** Hosts beside the instance's own, as URLs write them. */
  readonly confirmHosts: ReadonlySet<string>
}

/** As for a log-in, and the hosts of the operator's list. */
export function createConfirmTargets(options: ConfirmTargetsOptions): ConfirmTargets {
  const { redirects, apps, confirmHosts } = options
  return {
    parse: (instance, raw) =>
      raw === '' ? redirects.home(instance) : redirects.parse(instance, raw, confirmHosts),
    async askedBy(instance, { slug, outerHost }) {
      if (slug === undefined) return outerHost
      return (await apps.installed(instance, slug))?.name ?? slug
    },
  }
}
