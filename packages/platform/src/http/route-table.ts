import type { Context } from 'koa'
import Router from 'koa-router'
import type { RouteRow } from './route.ts'

/** Runs one row, from its headers to its answer. */
export type RunRoute = (ctx: Context) => Promise<void>

/** Rows that were mounted together. */
export type Mount = symbol

/** A row as it is mounted. */
export interface MountedRow {
  readonly row: RouteRow
  readonly run: RunRoute
}

/** A path without parameters or patterns. */
const PLAIN_PATH = /^[\w./-]+$/
/** What a path begins with that is found by it. */
const PLAIN_SEGMENT = /^[\w.-]*$/

/** One path of one mount, with what answers there. */
export class MountedPath {
  readonly mount: Mount
  readonly path: string
  readonly isPlain: boolean
  /** Less than that of a path with a parameter where this one has a fixed segment. */
  readonly rank: string
  readonly rows: RouteRow[] = []
  readonly #layer: Router.Layer
  readonly #byMethod = new Map<string, MountedRow>()

  constructor(mount: Mount, path: string) {
    this.mount = mount
    this.path = path
    this.isPlain = PLAIN_PATH.test(path)
    this.rank = rankOf(path)
    this.#layer = new Router({ sensitive: true, strict: true }).register(path, [], () => {})
  }

  add(mounted: MountedRow): void {
    const { row } = mounted
    this.rows.push(row)
    if (!this.#byMethod.has(row.method)) this.#byMethod.set(row.method, mounted)
  }

  matches(path: string): boolean {
    return this.#layer.regexp.test(path)
  }

  /** Whether some path may be one of both. */
  overlaps(other: MountedPath): boolean {
    if (this.isPlain) return other.matches(this.path)
    return other.isPlain ? this.matches(other.path) : shapeOf(this.path) === shapeOf(other.path)
  }

  /** What takes the method; a GET takes HEAD too. */
  find(method: string): MountedRow | undefined {
    return this.#byMethod.get(method === 'HEAD' ? 'GET' : method)
  }

  /**
   * Says in the context what was matched, as koa-router does.
   * @returns whether each parameter can be the name of something
   */
  note(ctx: Context): boolean {
    ctx['_matchedRoute'] = this.path
    if (this.isPlain) return true
    const captures = this.#layer.captures(ctx.path)
    ctx['params'] = this.#layer.params(ctx.path, captures)
    return captures.every(isNameable)
  }
}

/** As many characters as the id of a record has at most. */
const MAX_PARAMETER = 512

/** Whether an escaped parameter is valid, printable and not too long. */
function isNameable(escaped: string): boolean {
  try {
    const text = decodeURIComponent(escaped)
    return text.length <= MAX_PARAMETER && !/\p{Cc}/u.test(text)
  } catch {
    return false
  }
}

const NOTHING: readonly MountedPath[] = []

/**
 * The paths of everything that is mounted on one platform: a request's path is looked up once, however many packages
 * there are, and each mount is told what of it is its own.
 */
export class RouteTable {
  readonly #plain = new Map<string, MountedPath[]>()
  /** By first segment, so that a path is held against few of them; under '' those that begin with a parameter. */
  readonly #patterns = new Map<string, MountedPath[]>()
  /** The last look-up: everybody a request passes asks the same. */
  #last = { path: '', found: NOTHING }

  /** Takes rows in; they have this mount in common. */
  declare(rows: readonly MountedRow[]): Mount {
    const mount = Symbol('mount')
    const own = new Map<string, MountedPath>()
    for (const mounted of rows) {
      const { path } = mounted.row
      let at = own.get(path)
      if (at === undefined) {
        at = new MountedPath(mount, path)
        own.set(path, at)
        this.#insert(at)
      }
      at.add(mounted)
    }
    this.#last = { path: '', found: NOTHING }
    return mount
  }

  /**
   * What there is at a path, of all mounts. A fixed segment wins over a parameter, whatever the method: a name that the
   * interface uses is never the id of something.
   */
  find(path: string): readonly MountedPath[] {
    if (this.#last.path === path) return this.#last.found
    const found = this.#search(path)
    this.#last = { path, found }
    return found
  }

  /** Paths of the mounts, as they were declared. */
  pathsOf(mounts: ReadonlySet<Mount>): readonly MountedPath[] {
    const all = [...this.#plain.values(), ...this.#patterns.values()].flat()
    return all.filter(({ mount }) => mounts.has(mount))
  }

  #insert(at: MountedPath): void {
    const { path } = at
    const first = firstSegment(path)
    const [group, key] = at.isPlain
      ? [this.#plain, path]
      : [this.#patterns, PLAIN_SEGMENT.test(first) ? first : '']
    const there = group.get(key)
    if (there === undefined) group.set(key, [at])
    else there.push(at)
  }

  #search(path: string): readonly MountedPath[] {
    const plain = this.#plain.get(path)
    if (plain !== undefined) return plain
    const found = [...this.#matching(firstSegment(path), path), ...this.#matching('', path)]
    const [first = ''] = found.map(({ rank }) => rank).sort()
    return found.length === 0 ? NOTHING : found.filter(({ rank }) => rank === first)
  }

  #matching(group: string, path: string): readonly MountedPath[] {
    return this.#patterns.get(group)?.filter((each) => each.matches(path)) ?? NOTHING
  }
}

/** Of `/auth/login`: `auth`. */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1)
  return path.slice(1, end === -1 ? undefined : end)
}

/** A pattern without the names of its parameters. */
function shapeOf(pattern: string): string {
  return pattern.replaceAll(/[:*]\w+/g, ':')
}

/** Of each segment: fixed, a parameter, or the rest of the path. */
function rankOf(pattern: string): string {
  return pattern
    .split('/')
    .map((segment) => (PLAIN_SEGMENT.test(segment) ? 0 : segment.startsWith('*') ? 2 : 1))
    .join('')
}
