import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Context } from 'koa'
import type { ResourceAccess, ResourceOptions } from '../src/index.ts'
import { type Answer, oauthServer, type OAuthServer } from './oauth-server.ts'
import { MCP, PHOTOS } from './sample-resources.ts'

export { MCP, PHOTOS }

export const BASE = 'https://alice.example.com'
export const REDIRECT_URI = 'https://assistant.example/callback'
export const VERIFIER: string = 'v'.repeat(43)
export const CHALLENGE: string = createHash('sha256').update(VERIFIER).digest('base64url')
export const OWNER = { cookie: 'session=owner' }

export type Fields = Readonly<Record<string, string | undefined>>

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
}

type ServerOptions = NonNullable<Parameters<typeof oauthServer>[0]>

/** A server with two resources: one that clients without a secret may ask for, and one that they may not. */
export function resourceServer(
  options: ServerOptions & { readonly resources?: readonly ResourceOptions[] } = {},
): Promise<OAuthServer> {
  const { resources = [MCP, PHOTOS], ...rest } = options
  return oauthServer({
    ...rest,
    mount(app, oauth) {
      const guards = new Map(
        resources.map((one) => {
          const resource = oauth.resources.add(one)
          return [one.path, { resource, guard: oauth.resourceGuard(resource) }]
        }),
      )
      const files = oauth.guard({ verb: 'GET', type: 'io.svc.contacts' })
      app.use(async (ctx: Context, next) => {
        if (ctx.path === '/contacts') {
          return files(ctx, async () => {
            ctx.body = { kind: 'interface' }
          })
        }
        const found = guards.get(ctx.path)
        if (found === undefined) return next()
        await found.guard(ctx, async () => {
          // Set by the guard.
          const access = ctx.state['access'] as ResourceAccess
          const verb = ctx.method === 'POST' ? 'POST' : 'GET'
          if (!access.allows(verb, 'io.svc.contacts')) {
            const { instance } = ctx.state as { instance: OAuthServer['instance'] }
            const needs = [{ type: 'io.svc.contacts', verbs: [verb] }] as const
            const challenge = await oauth.stepUp(found.resource, instance, access, needs)
            ctx.status = 403
            if (challenge !== undefined) ctx.set('WWW-Authenticate', challenge)
            return
          }
          const { resource, permissions } = access
          ctx.body = { resource, permissions }
        })
      })
    },
  })
}

/** A registered client without a secret. */
export async function publicClient(server: OAuthServer, metadata: object = {}): Promise<string> {
  const json = {
    client_name: 'Assistant',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    ...metadata,
  }
  const answer = await server.send('POST', '/auth/register', { json })
  expect(answer.status, answer.text).to.equal(201)
  return String(answer.body['client_id'])
}

function given(fields: Fields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  )
}

export function authorizeFields(client: string, changes: Fields = {}): Record<string, string> {
  return given({
    client_id: client,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    state: 's',
    scope: 'io.svc.contacts:GET',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  })
}

/** What the owner is shown. */
export function ask(
  server: OAuthServer,
  client: string,
  changes: Fields = {},
  headers: Readonly<Record<string, string>> = OWNER,
): Promise<Answer> {
  const query = new URLSearchParams(authorizeFields(client, changes)).toString()
  return server.send('GET', `/auth/authorize?${query}`, { headers })
}

/** The owner's yes. */
export function allow(
  server: OAuthServer,
  client: string,
  changes: Fields = {},
  headers: Readonly<Record<string, string>> = OWNER,
): Promise<Answer> {
  const form = authorizeFields(client, changes)
  return server.send('POST', '/auth/authorize', { form, headers })
}

export function codeOf(answer: Answer): string {
  const location = answer.headers['location']
  if (location === undefined) throw new Error(`${answer.status} ${answer.text}`)
  return new URL(location).searchParams.get('code') ?? ''
}

export function token(server: OAuthServer, client: string, form: Fields): Promise<Answer> {
  return server.send('POST', '/auth/access_token', { form: given({ client_id: client, ...form }) })
}

export function exchange(
  server: OAuthServer,
  client: string,
  code: string,
  changes: Fields = {},
): Promise<Answer> {
  const form = { grant_type: 'authorization_code', code, code_verifier: VERIFIER, ...changes }
  return token(server, client, form)
}

export function refresh(
  server: OAuthServer,
  client: string,
  refreshToken: string,
  changes: Fields = {},
): Promise<Answer> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...changes }
  return token(server, client, form)
}

export function tokensOf(answer: Answer): Tokens {
  expect(answer.status, answer.text).to.equal(200)
  return answer.body as unknown as Tokens
}

/** From the owner's yes to the tokens. */
export async function connect(
  server: OAuthServer,
  client: string,
  changes: Fields = {},
  secret: Fields = {},
): Promise<Tokens> {
  const code = codeOf(await allow(server, client, changes))
  return tokensOf(await exchange(server, client, code, secret))
}

export function claimsOf(jwt: string): Record<string, unknown> {
  const [, payload = ''] = jwt.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
}
