import { type Instance, parseAppHost } from '@svc/platform'

/** The link when it leads to the instance or one of its apps: mails have no others (security.md 1, 99). */
export function toOwnLink(instance: Instance, link: string): string | undefined {
  const url = URL.parse(link)
  const base = new URL(instance.origin)
  const app = url === null ? undefined : parseAppHost(url.host, instance.subdomains)
  const isOwn = url?.host === base.host || app?.domain === base.host
  return url?.protocol === base.protocol && isOwn ? url.href : undefined
}
