// The second way: the handler is the first thing that the application uses, in front of every body parser.
import { createServer } from 'node:http'
import express from 'express'
import { oauth, RECIPES, routes, serve } from './assembly.ts'

const app = express().disable('x-powered-by')
app.use(oauth.handler({ routes }))
app.use(express.json())

app.get('/recipes', oauth.nodeGuard(RECIPES), (request, response) => {
  response.json({ recipes: [`Soup of ${oauth.requestOf(request)?.instance.domain}`] })
})

app.post('/echo', (request, response) => {
  response.cookie('theirs', '1').json({ echo: request.body })
})

app.use((_request, response) => {
  response.status(404).json({ message: 'No such page here' })
})

await serve(createServer(app))
