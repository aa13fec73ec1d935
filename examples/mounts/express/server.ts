import { createServer } from 'node:http'
import express from 'express'
import { oauth, RECIPES, routes, serve } from './assembly.ts'

const app = express().disable('x-powered-by')

app.get('/recipes', oauth.nodeGuard(RECIPES), (request, response) => {
  response.json({ recipes: [`Soup of ${oauth.requestOf(request)?.instance.domain}`] })
})

app.post('/echo', express.json(), (request, response) => {
  response.cookie('theirs', '1').json({ echo: request.body })
})

app.use((_request, response) => {
  response.status(404).json({ message: 'No such page here' })
})

await serve(createServer(oauth.handler({ routes, next: app })))
