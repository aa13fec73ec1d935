import { listen, until } from '@svc/testkit'

/** The part of an outside client that waits for the owner to come back. */
export interface CallbackServer {
  readonly redirectUri: string
  /**
   * The whole URL of the next visit, already there or to come.
   * @throws Error when nobody comes within a time budget of ten seconds
   */
  nextVisit(): Promise<string>
  close(): Promise<void>
}

/**
 * A program on this computer with a page of its own, as native clients have.
 * @param leadsTo - where the callback sends the browser on; absent: it shows a page
 */
export async function openCallbackServer(leadsTo?: string): Promise<CallbackServer> {
  const visits: string[] = []
  const server = await listen((request, response) => {
    const isCallback = request.url?.startsWith('/callback') === true
    if (isCallback) visits.push(`http://${request.headers.host}${request.url}`)
    if (isCallback && leadsTo !== undefined) {
      response.writeHead(302, { location: leadsTo })
      response.end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end('<!doctype html><title>Connected</title><h1>Connected</h1>')
  })
  return {
    redirectUri: `${server.origin}/callback`,
    nextVisit: () =>
      until(() => visits.shift(), {
        limitMs: 10_000,
        describe: () => 'no browser came back to the client',
      }),
    close: () => server.close(),
  }
}
