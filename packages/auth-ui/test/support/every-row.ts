import type { RouteRow } from '@svc/platform'
import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import type { UiServer } from './ui-server.ts'

/** Rows of these methods, but for the files of pages. */
export function rowsOf(server: UiServer, ...methods: readonly string[]): readonly RouteRow[] {
  return server.ui.rows.filter(
    (row) => methods.includes(row.method) && !row.path.includes('/assets/'),
  )
}

/** The path with something in place of each parameter. */
export function pathOf({ path }: RouteRow): string {
  return path.replaceAll(/:[a-zA-Z]+/g, 'x')
}

/** Names of the fields that a row's documents tell of. */
export function fieldsOf({ body }: RouteRow): readonly string[] {
  return Object.keys((body?.schema as { properties?: object } | undefined)?.properties ?? {})
}

/** Sends a body of the row's own type. */
export function sendTo(
  browser: BrowserClient,
  row: RouteRow,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<BrowserResponse> {
  const isJson = row.body?.types.includes('json') === true && !row.body.types.includes('form')
  const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded'
  const body = isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
  return browser.request(row.method, pathOf(row), {
    headers: { ...typed(type, body), ...headers },
    body,
  })
}

/** Headers of a body, with its length: the body of a DELETE would be no part of the request otherwise. */
export function typed(type: string, body: string): Record<string, string> {
  return { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }
}
