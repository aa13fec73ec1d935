// The same with Fastify below NestJS.
import 'reflect-metadata'
import { createServer } from 'node:http'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { oauth, routes, serve } from './assembly.ts'
import { RecipesModule } from './recipes.ts'

const nest = await NestFactory.create<NestFastifyApplication>(RecipesModule, new FastifyAdapter())
await nest.init()
const fastify = nest.getHttpAdapter().getInstance()
await fastify.ready()

await serve(createServer(oauth.handler({ routes, next: (...both) => fastify.routing(...both) })), {
  stop: () => nest.close(),
})
