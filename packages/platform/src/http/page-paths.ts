import Router from 'koa-router'
import { canonicalPath } from './canonical-path.ts'
import type { RouteRow } from './route.ts'

/** Which paths are the interface's, and which of them answer pages. */
export interface PagePaths {
  declare(rows: readonly RouteRow[]): void
  /** Whether GET on the path answers a page; undefined when no row has that path, or the request decides. */
  isPage(path: string): boolean | undefined
  /** Whether some row has the path, whatever its method. */
  isDeclared(path: string): boolean
  /**
   * Whether no row has the path, and all the same nobody else may answer it on an instance's host: a router that is not
   * strict would take it for one of a row, or it is below a prefix of the interface. @see decision 0209
   */
  isReserved(path: string): boolean
}

/** Below these everything is the interface's, also what it does not have. */
const PREFIXES: ReadonlySet<string> = new Set([
  'accounts',
  'auth',
  'notifications',
  'realtime',
  'settings',
])

export function createPagePaths(): PagePaths {
  const router = new Router({ sensitive: true, strict: true })
  const pages = new Set<string>()
  const either = new Set<string>()
  const paths = new Set<string>()
  /** By first segment, so that a path is held against few of them; under '' those that begin with a parameter. */
  const patterns = new Map<string, Router.Layer[]>()

  function declareOne({ method, path, family }: RouteRow): void {
    const layer = router.register(path, ['GET'], () => {})
    if (method === 'GET' && family === 'html') pages.add(path)
    if (method === 'GET' && family === 'html-jsonapi') either.add(path)
    if (paths.has(path)) return
    paths.add(path)
    const first = firstSegment(path)
    const group = /^[\w.-]*$/.test(first) ? first : ''
    patterns.set(group, [...(patterns.get(group) ?? []), layer])
  }

  function isDeclared(path: string): boolean {
    if (paths.has(path)) return true
    const layers = [firstSegment(path), ''].flatMap((group) => patterns.get(group) ?? [])
    return layers.some(({ regexp }) => regexp.test(path))
  }

  return {
    declare(rows) {
      for (const row of rows) declareOne(row)
    },
    isPage(path) {
      const matched = router.match(path, 'GET').path.map((layer) => String(layer.path))
      if (matched.some((each) => pages.has(each))) return true
      return matched.length === 0 || matched.some((each) => either.has(each)) ? undefined : false
    },
    isDeclared,
    isReserved(path) {
      // Most requests: one look, and done.
      if (paths.has(path)) return false
      const canonical = canonicalPath(path)
      const isOurs =
        PREFIXES.has(firstSegment(canonical)) ||
        (canonical !== path && canonical !== '/' && isDeclared(canonical))
      return isOurs && !isDeclared(path)
    },
  }
}

function firstSegment(path: string): string {
  return path.split('/', 2)[1] ?? ''
}
