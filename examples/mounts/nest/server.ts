import 'reflect-metadata'
import { createServer } from 'node:http'
import { NestFactory } from '@nestjs/core'
import type { Express } from 'express'
import { oauth, routes, serve } from './assembly.ts'
import { RecipesModule } from './recipes.ts'

const nest = await NestFactory.create(RecipesModule)
await nest.init()
const app: Express = nest.getHttpAdapter().getInstance()
app.disable('x-powered-by')

await serve(createServer(oauth.handler({ routes, next: app })), { stop: () => nest.close() })
