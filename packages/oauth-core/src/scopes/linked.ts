import { isSlug } from '@svc/platform'

/** The scope stored and answered for a client that is linked to an app: `@<namespace>.apps/<slug>`. */
export function linkedScope(namespace: string, slug: string): string {
  return `@${namespace}.apps/${slug}`
}

/** Slug of the app a stored scope stands for, or undefined for any other scope. */
export function slugOfScope(namespace: string, scope: string): string | undefined {
  const prefix = `@${namespace}.apps/`
  if (!scope.startsWith(prefix)) return undefined
  const slug = scope.slice(prefix.length)
  return isSlug(slug) ? slug : undefined
}
