import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Listening, listen } from '../../src/index.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** Serves built sites from a folder, as a server of files does. */
export function serveSite(folder: string): Promise<Listening> {
  return listen((req, res) => {
    const { pathname } = new URL(req.url ?? '/', 'http://127.0.0.1')
    const index = pathname.endsWith('/') ? 'index.html' : ''
    const file = path.join(folder, decodeURIComponent(pathname), index)
    readFile(file).then(
      (body) => {
        res.setHeader('content-type', TYPES[path.extname(file)] ?? 'application/octet-stream')
        res.end(body)
      },
      () => res.writeHead(404).end(),
    )
  })
}
