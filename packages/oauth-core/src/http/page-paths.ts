import Router from 'koa-router'
import type { RouteRow } from './route.ts'

/** Which declared paths answer pages. */
export interface PagePaths {
  declare(rows: readonly RouteRow[]): void
  /** Whether GET on the path answers a page; undefined when no row has that path, or the request decides. */
  isPage(path: string): boolean | undefined
}

export function createPagePaths(): PagePaths {
  const router = new Router({ sensitive: true, strict: true })
  const pages = new Set<string>()
  const either = new Set<string>()

  return {
    declare(rows) {
      for (const { method, path, family } of rows) {
        router.register(path, ['GET'], () => {})
        if (method === 'GET' && family === 'html') pages.add(path)
        if (method === 'GET' && family === 'html-jsonapi') either.add(path)
      }
    },
    isPage(path) {
      const matched = router.match(path, 'GET').path.map((layer) => String(layer.path))
      if (matched.some((each) => pages.has(each))) return true
      return matched.length === 0 || matched.some((each) => either.has(each)) ? undefined : false
    },
  }
}
