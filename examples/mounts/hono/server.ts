import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Authenticated, refusalResponse } from '@svc/oauth-core'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { oauth, RECIPES, routes, serve } from './assembly.ts'

const app = new Hono()

const guard = createMiddleware<{ Variables: { seen: Authenticated } }>(async (c, next) => {
  const seen = await oauth.authenticateRequest(c.req.raw, RECIPES)
  if (!seen.ok) return refusalResponse(seen)
  c.set('seen', seen)
  return next()
})

app.get('/recipes', guard, (c) => c.json({ recipes: [`Soup of ${c.get('seen').instance.domain}`] }))

app.post('/echo', async (c) => {
  c.header('Set-Cookie', 'theirs=1')
  return c.json({ echo: await c.req.json() })
})

app.notFound((c) => c.json({ message: 'No such page here' }, 404))

await serve(createServer(oauth.handler({ routes, next: getRequestListener(app.fetch) })))
