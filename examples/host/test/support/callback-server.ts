import { listen, until } from '@svc/testkit'

/** The part of an outside client that waits for the owner to come back. */
export interface CallbackServer {
  readonly redirectUri: string
  /**
   * The whole URL of the next visit, already there or to come. By then the browser shows the page.
   * @throws Error when nobody comes within a time budget of ten seconds
   */
  nextVisit(): Promise<string>
  close(): Promise<void>
}

const PAGE = '<!doctype html><title>Connected</title><h1>Connected</h1><img src="/shown" alt="">'

/** What it asks for is asked for at each visit. */
const HEADERS = { 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' }

/**
 * A program on this computer with a page of its own, as native clients have.
 * @param leadsTo - where the callback sends the browser on; absent: it shows a page
 */
export async function openCallbackServer(leadsTo?: string): Promise<CallbackServer> {
  const visits: string[] = []
  const opening: string[] = []
  const server = await listen((request, response) => {
    const { url = '', headers } = request
    if (url.startsWith('/callback')) {
      const visit = `http://${headers.host}${url}`
      if (leadsTo !== undefined) {
        visits.push(visit)
        response.writeHead(302, { location: leadsTo })
        response.end()
        return
      }
      opening.push(visit)
    }
    // Asked for by the page: only now the browser has left the one before, and can be sent elsewhere.
    if (url === '/shown') visits.push(...opening.splice(0))
    response.writeHead(200, HEADERS)
    response.end(PAGE)
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
