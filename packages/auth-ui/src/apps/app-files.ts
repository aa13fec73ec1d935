import { type FileHandle, open, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { AppManifest, ManifestRoute } from '@svc/oauth-core'

/** An app as it lies on disk. */
export interface AppFolder {
  readonly manifest: AppManifest
  /** Absolute path. */
  readonly folder: string
}

/** A file of an app, open for reading; the caller closes it. */
export interface AppFile {
  readonly handle: FileHandle
  /** Bytes. */
  readonly size: number
  /** Changes with the content. */
  readonly etag: string
  readonly type: string
  readonly isHtml: boolean
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.jpg', 'image/jpeg'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.mjs', 'text/javascript; charset=utf-8'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['.webp', 'image/webp'],
  ['.woff2', 'font/woff2'],
])

/** The route of a manifest that a path belongs to, with the rest of the path below it. */
export function matchRoute(
  manifest: AppManifest,
  path: string,
): { readonly route: ManifestRoute; readonly rest: string } | undefined {
  let best: { route: ManifestRoute; rest: string; length: number } | undefined
  for (const [name, route] of Object.entries(manifest.routes)) {
    const prefix = name.endsWith('/') ? name : `${name}/`
    const isIndex = `${path}/` === prefix || path === prefix
    if (!isIndex && !path.startsWith(prefix)) continue
    if (best === undefined || prefix.length > best.length) {
      best = { route, rest: isIndex ? '' : path.slice(prefix.length), length: prefix.length }
    }
  }
  return best
}

/** Decodes the path of a request once; undefined for what no file may be called. */
export function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path)
    // A name that still holds an escape, a way up, a hidden file, or a separator of another system.
    return /[\u0000-\u001f\u007f\\%]|\/\/|(?:^|\/)\./.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}

/**
 * Opens a file of a route; undefined when there is none, or when it lies outside of the route's folder, by a link
 * for example.
 */
export async function openAppFile(
  appFolder: string,
  route: ManifestRoute,
  rest: string,
): Promise<AppFile | undefined> {
  const name = rest === '' ? route.index : rest
  const type = TYPES.get(extname(name).toLowerCase())
  if (type === undefined) return undefined
  let handle: FileHandle | undefined
  try {
    const root = await realpath(join(appFolder, route.folder))
    const path = await realpath(join(root, name))
    if (!path.startsWith(root + sep)) return undefined
    handle = await open(path, 'r')
    const stats = await handle.stat()
    if (!stats.isFile()) {
      await handle.close()
      return undefined
    }
    const etag = `"${stats.size.toString(36)}-${Math.trunc(stats.mtimeMs).toString(36)}"`
    return { handle, size: stats.size, etag, type, isHtml: type.startsWith('text/html') }
  } catch (error) {
    await handle?.close()
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'])
