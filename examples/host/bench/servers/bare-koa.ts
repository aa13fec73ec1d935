import http from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { type BenchServer, notServed } from './bench-server.ts'

export const DOCUMENT_KIND = 'io.svc.contacts'
export const DOCUMENT_ID = 'n0'
/** About what a note is long. */
export const DOCUMENT: Readonly<Record<string, string>> = {
  title: 'Tulips',
  text: 'Buy tulips, and water the garden. '.repeat(30),
}
export const ROUTE_PATH = '/files'
export const ROUTE_BODY = { files: ['notes of i0.example.com'] }

const DOCUMENT_PATH = `/data/${DOCUMENT_KIND}/${DOCUMENT_ID}`
/** About as long as a page. */
const PAGE = `<!doctype html><title>Page</title>${'<p>A line of a page.</p>'.repeat(300)}`

/** What Koa by itself costs: routes that answer the bytes of those behind the guard, to whoever asks. */
export async function startBareKoa(): Promise<BenchServer> {
  const document = {
    _id: DOCUMENT_ID,
    _type: DOCUMENT_KIND,
    _rev: '1'.repeat(16),
    ...DOCUMENT,
  }
  const koa = new Koa()
  koa.use((ctx) => {
    if (ctx.path === DOCUMENT_PATH) ctx.body = document
    else if (ctx.path === ROUTE_PATH) ctx.body = ROUTE_BODY
    else ctx.body = PAGE
  })
  const server = http.createServer(koa.callback())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A TCP server's address is an object.
  return {
    port,
    // It is asked what the server beside it is asked.
    prepare: async (job) => {
      throw notServed(job)
    },
  }
}
