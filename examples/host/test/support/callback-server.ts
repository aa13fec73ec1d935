import { listen } from '@svc/testkit'

/** The part of an outside client that waits for the owner to come back. */
export interface CallbackServer {
  readonly redirectUri: string
  /** The whole URL of the next visit, already there or to come. */
  nextVisit(): Promise<string>
  close(): Promise<void>
}

/** A program on this computer with a page of its own, as native clients have. */
export async function openCallbackServer(): Promise<CallbackServer> {
  const visits: string[] = []
  const waiting: ((url: string) => void)[] = []
  const server = await listen((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!doctype html><title>Connected</title><h1>Connected</h1>')
    if (request.url?.startsWith('/callback') !== true) return
    const url = `http://${request.headers.host}${request.url}`
    const resolve = waiting.shift()
    if (resolve === undefined) visits.push(url)
    else resolve(url)
  })
  return {
    redirectUri: `${server.origin}/callback`,
    nextVisit: () => {
      const here = visits.shift()
      return here === undefined
        ? new Promise((resolve) => waiting.push(resolve))
        : Promise.resolve(here)
    },
    close: () => server.close(),
  }
}
