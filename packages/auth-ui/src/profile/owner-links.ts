import { type Instance, isSlug, originOfApp } from '@svc/platform'

/** Pages of the host that the profile leads to. */
export interface OwnerLinks {
  /** Where an owner takes a copy of everything. */
  readonly export?: string
  /** Where an owner closes the space. */
  readonly close?: string
}

/** Whether a text names a page of the instance (`/path`) or of one of its apps (`slug` or `slug/path`). */
export function isOwnerLink(link: string): boolean {
  if (/[\u0000-\u0020\u007f\\]/.test(link)) return false
  if (link.startsWith('/')) return !link.startsWith('//')
  const [slug = ''] = link.split(/[/?#]/, 1)
  return isSlug(slug)
}

/** The addresses on an instance. */
export function ownerLinksOf(
  instance: Instance,
  links: OwnerLinks,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(links).map(([name, link]) => [name, hrefOf(instance, link)]),
  )
}

function hrefOf(instance: Instance, link: string): string {
  if (link.startsWith('/')) return `${instance.origin}${link}`
  const [slug = ''] = link.split(/[/?#]/, 1)
  const rest = link.slice(slug.length)
  return `${originOfApp(instance, slug)}${rest.startsWith('/') ? '' : '/'}${rest}`
}
