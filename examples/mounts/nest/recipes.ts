import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  Body,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  Header,
  HttpCode,
  Module,
  Post,
  UseGuards,
} from '@nestjs/common'
import { sendRefusal } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { oauth, RECIPES } from './assembly.ts'

/** Lets those read who are allowed to. */
class RecipesGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp()
    const seen = await oauth.authenticateRequest(
      ofNode<IncomingMessage>(http.getRequest()),
      RECIPES,
    )
    // NestJS adds nothing to an answer that was sent.
    if (!seen.ok) sendRefusal(ofNode<ServerResponse>(http.getResponse()), seen)
    return seen.ok
  }
}

/** The instance that a request is for. */
const OfInstance = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest()
  return oauth.requestOf(ofNode<IncomingMessage>(request))?.instance
})

/** The object of Node: Fastify has one of its own around it, Express extends it. */
function ofNode<Given extends object>(given: Given | { readonly raw: Given }): Given {
  return 'raw' in given ? given.raw : given
}

@Controller()
class Recipes {
  @Get('recipes')
  @UseGuards(new RecipesGuard())
  recipes(@OfInstance() instance: Instance): object {
    return { recipes: [`Soup of ${instance.domain}`] }
  }

  @Post('echo')
  @HttpCode(200)
  @Header('Set-Cookie', 'theirs=1')
  echo(@Body() echo: unknown): object {
    return { echo }
  }
}

@Module({ controllers: [Recipes] })
export class RecipesModule {}
