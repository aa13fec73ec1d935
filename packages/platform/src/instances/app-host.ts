import type { Instance, Subdomains } from './instance.ts'

const SLUG = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** Whether a text can be an app's slug: letters, digits, inner `-`, at most 63 characters. */
export function isSlug(text: string): boolean {
  return text.length <= 63 && SLUG.test(text)
}

/** Host of an app: nested `<slug>.<domain>`, flat `<first label>-<slug>.<rest>`. @see login.md 3.5 */
export function appHost(domain: string, slug: string, subdomains: Subdomains): string {
  if (subdomains === 'nested') return `${slug}.${domain}`
  const dot = domain.indexOf('.')
  return dot === -1 ? `${domain}-${slug}` : `${domain.slice(0, dot)}-${slug}${domain.slice(dot)}`
}

/** The other way round: which domain and slug a host could be the app host of, or undefined. */
export function parseAppHost(
  host: string,
  subdomains: Subdomains,
): { domain: string; slug: string } | undefined {
  const dot = host.indexOf('.')
  if (dot === -1) return undefined
  const label = host.slice(0, dot)
  const rest = host.slice(dot + 1)
  if (subdomains === 'nested')
    return isSlug(label) && rest !== '' ? { domain: rest, slug: label } : undefined
  // SPEC: login.md 3.5 - the first label of a flat instance holds no `-`, so the first one ends it.
  const dash = label.indexOf('-')
  if (dash < 1) return undefined
  const slug = label.slice(dash + 1)
  return isSlug(slug) ? { domain: `${label.slice(0, dash)}.${rest}`, slug } : undefined
}

/** Origin of one of the instance's apps. */
export function originOfApp(instance: Instance, slug: string): string {
  const scheme = instance.isHttps ? 'https' : 'http'
  return `${scheme}://${appHost(instance.domain, slug, instance.subdomains)}`
}

/**
 * Slug of the app whose origin this is, byte for byte; undefined for any other origin, `null` included.
 * @example
 * const slug = appOrigin(instance, 'https://notes.alice.example.com') // notes, or undefined
 */
export function appOrigin(instance: Instance, origin: string): string | undefined {
  const prefix = instance.isHttps ? 'https://' : 'http://'
  if (!origin.startsWith(prefix)) return undefined
  const parsed = parseAppHost(origin.slice(prefix.length), instance.subdomains)
  return parsed?.domain === instance.domain ? parsed.slug : undefined
}
