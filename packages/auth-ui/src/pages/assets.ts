import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { RouteContext, RouteRow } from '@svc/platform'
import { appFolders } from '../app-folders.ts'

/** The style sheets and scripts of the pages, read once. */
export interface Assets {
  /** Address of a file: it changes when any file does. @throws TypeError when there is no such file */
  url(name: string): string
  /** Content of a style sheet, for a page that loads nothing. @throws TypeError as `url` */
  source(name: string): string
  /** Address of a file that was made for this page; it is kept ready for the browser. */
  urlOf(name: string, text: string): string
  readonly rows: readonly RouteRow[]
}

/**
 * Makes a file again for a process that has not made it yet; undefined when it has no such name.
 */
export type MakeFile = (ctx: RouteContext, name: string) => Promise<string | undefined>

interface Asset {
  readonly type: string
  readonly body: Buffer
  /** The body again, in fewer bytes. Nothing of these files is secret, so that their length may tell of it. */
  readonly zipped: () => Buffer
  readonly etag: string
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml; charset=utf-8'],
])
/** Files that the pages have in common with the apps; they lie with the kit. */
const SHARED = ['base.css', 'derive.js', 'guesses.js', 'strength.js', 'tokens.css']
const VERSION_CHARACTERS = 16
/** Files made for pages that are kept ready. */
const MOST_MADE = 200
const FOREVER = 'public, max-age=31536000, immutable'
const ASK_EACH_TIME = 'public, no-cache'

/**
 * The files live in one folder named after the hash of them all, so that scripts import each other by plain names and
 * every file can be kept forever. An address with another hash (a page of another version, during a rolling restart)
 * gets the file of this version, to be asked for each time.
 *
 * @param extra files made at start, such as the embedder's theme, by name
 * @param makeFile files made for pages, each with an address of its own
 */
export function createAssets(
  extra: Readonly<Record<string, string>> = {},
  makeFile: MakeFile = async () => undefined,
): Assets {
  const files = new Map<string, Asset>()
  const made = new Map<string, Asset>()
  const folder = fileURLToPath(new URL('../../assets', import.meta.url))
  const add = (name: string, body: Buffer): void => {
    const file = assetOf(name, body)
    if (file !== undefined) files.set(name, file)
  }
  for (const name of readdirSync(folder).sort()) add(name, readOwn(`${folder}/${name}`))
  for (const name of SHARED) add(name, readOwn(`${appFolders.kit}/${name}`))
  for (const [name, text] of Object.entries(extra)) add(name, Buffer.from(text))

  const version = digest(...[...files].flatMap(([name, file]) => [Buffer.from(name), file.body]))
  const find = (name: string): Asset => {
    const file = files.get(name)
    if (file === undefined) throw new TypeError(`no asset ${name}`)
    return file
  }
  return {
    url: (name) => {
      find(name)
      return `/auth/assets/${version}/${name}`
    },
    source: (name) => find(name).body.toString('utf8'),
    urlOf(name, text) {
      const key = digest(Buffer.from(text))
      const known = made.get(key) ?? assetOf(name, Buffer.from(text))
      if (known === undefined) throw new TypeError(`no type for ${name}`)
      keep(made, key, known)
      return `/auth/assets/${key}/${name}`
    },
    rows: [
      {
        method: 'GET',
        path: '/auth/assets/:version/:name',
        handler: async function getAsset(ctx) {
          const { name, version: asked } = ctx['params'] as { name: string; version: string }
          const file = files.get(name) ?? made.get(asked)
          if (file !== undefined) return sendAsset(ctx, file, asked === version || made.has(asked))
          const text = await makeFile(ctx, name)
          const again = text === undefined ? undefined : assetOf(name, Buffer.from(text))
          sendAsset(ctx, again, again?.etag === asked)
        },
        auth: ['none'],
        statuses: [200, 304, 400, 404],
        family: 'empty',
        summary: 'A style sheet, script or icon of the pages; may be kept forever.',
        source: 'security.md 7',
      },
    ],
  }
}

/** Comments of style sheets stay here: a page may weigh 50 kB. No text in ours looks like one. */
function readOwn(path: string): Buffer {
  const body = readFileSync(path)
  if (extname(path) !== '.css') return body
  return Buffer.from(body.toString('utf8').replace(/\/\*[^]*?\*\//gu, ''))
}

function assetOf(name: string, body: Buffer): Asset | undefined {
  const type = TYPES.get(extname(name))
  if (type === undefined) return undefined
  let zipped: Buffer | undefined
  return {
    type,
    body,
    // At the first request: a start has no use for it.
    zipped: () => (zipped ??= gzipSync(body, { level: 9 })),
    etag: digest(body),
  }
}

/** What was used last is kept. */
function keep(made: Map<string, Asset>, key: string, file: Asset): void {
  made.delete(key)
  made.set(key, file)
  const [oldest] = made.keys()
  if (made.size > MOST_MADE && oldest !== undefined) made.delete(oldest)
}

function sendAsset(ctx: RouteContext, file: Asset | undefined, isNamed: boolean): void {
  if (file === undefined) {
    ctx.status = 404
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = ''
    return
  }
  // The same for everybody: nothing of the cookie or of the wanted type goes into it.
  ctx.set('Vary', 'Accept-Encoding')
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  ctx.set('Cache-Control', isNamed ? FOREVER : ASK_EACH_TIME)
  ctx.set('Cross-Origin-Resource-Policy', 'same-origin')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('ETag', `"${file.etag}${isZipped ? '-gzip' : ''}"`)
  ctx.status = 200
  ctx.type = file.type
  if (ctx.fresh) {
    ctx.status = 304
    ctx.body = null
    return
  }
  if (isZipped) ctx.set('Content-Encoding', 'gzip')
  ctx.body = isZipped ? file.zipped() : file.body
}

function digest(...parts: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url').slice(0, VERSION_CHARACTERS)
}
