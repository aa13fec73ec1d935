import { canonicalPath } from './canonical-path.ts'
import type { RouteRow } from './route.ts'
import { firstSegment, RouteTable } from './route-table.ts'

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

/** @param table - where the rows are; without one, an own one that `declare` fills */
export function createPagePaths(table: RouteTable = new RouteTable()): PagePaths {
  const isDeclared = (path: string): boolean => table.find(path).length > 0
  return {
    declare(rows) {
      table.declare(rows.map((row) => ({ row, run: async () => {} })))
    },
    isPage(path) {
      const found = table.find(path)
      if (found.some(({ rows }) => rows.some(isHtml))) return true
      return found.length === 0 || found.some(({ rows }) => rows.some(isEither)) ? undefined : false
    },
    isDeclared,
    isReserved(path) {
      // Most requests: one look, and done.
      if (isDeclared(path)) return false
      const canonical = canonicalPath(path)
      return (
        PREFIXES.has(firstSegment(canonical)) ||
        (canonical !== path && canonical !== '/' && isDeclared(canonical))
      )
    },
  }
}

function isHtml({ method, family }: RouteRow): boolean {
  return method === 'GET' && family === 'html'
}

function isEither({ method, family }: RouteRow): boolean {
  return method === 'GET' && family === 'html-jsonapi'
}
