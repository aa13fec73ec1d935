import { createServer } from 'node:http'
import { sendRefusal } from '@svc/oauth-core'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { oauth, RECIPES, routes, serve } from './assembly.ts'

const app = Fastify({
  serverFactory: (listener) => createServer(oauth.handler({ routes, next: listener })),
})

async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const seen = await oauth.authenticateRequest(request.raw, RECIPES)
  if (seen.ok) return
  reply.hijack()
  sendRefusal(reply.raw, seen)
}

app.get('/recipes', { preHandler: guard }, ({ raw }) => ({
  recipes: [`Soup of ${oauth.requestOf(raw)?.instance.domain}`],
}))

app.post('/echo', (request, reply) =>
  reply.header('Set-Cookie', 'theirs=1').send({ echo: request.body }),
)

app.setNotFoundHandler((_request, reply) =>
  reply.status(404).send({ message: 'No such page here' }),
)

await app.ready()
await serve(app.server, { stop: () => app.close() })
