import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { sendRefusal } from '@svc/oauth-core'
import { oauth, RECIPES, routes, serve } from './assembly.ts'

const server = createServer(oauth.handler({ routes, next: site }))
await serve(server)

/** Everything that is not the interface's. What a stranger sends must never end the process. */
function site(request: IncomingMessage, response: ServerResponse): void {
  answer(request, response).catch(() => send(response, 400, { message: 'That cannot be read' }))
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [pathname] = (request.url ?? '').split('?', 1)
  if (request.method === 'GET' && pathname === '/recipes') {
    const seen = await oauth.authenticateRequest(request, RECIPES)
    if (!seen.ok) return sendRefusal(response, seen)
    return send(response, 200, { recipes: [`Soup of ${seen.instance.domain}`] })
  }
  if (request.method === 'POST' && pathname === '/echo') {
    response.setHeader('Set-Cookie', 'theirs=1')
    return send(response, 200, { echo: await json(request) })
  }
  send(response, 404, { message: 'No such page here' })
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
