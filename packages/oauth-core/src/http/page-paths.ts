import Router from 'koa-router'
import type { RouteRow } from './route.ts'

/** Which declared paths answer pages. */
export interface PagePaths {
  declare(rows: readonly RouteRow[]): void
  /** Whether GET on the path answers a page; undefined when no row has that path. */
  isPage(path: string): boolean | undefined
}

export function createPagePaths(): PagePaths {
  const router = new Router({ sensitive: true, strict: true })
  const pages = new Set<string>()

  return {
    declare(rows) {
      for (const { method, path, family } of rows) {
        router.register(path, ['GET'], () => {})
        if (method === 'GET' && family === 'html') pages.add(path)
      }
    },
    isPage(path) {
      const matched = router.match(path, 'GET').path
      if (matched.length === 0) return undefined
      return matched.some((layer) => pages.has(String(layer.path)))
    },
  }
}
