import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Answer, SendRequest } from './oauth-server.ts'

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

export function codeOf(answer: Answer): string {
  const location = answer.headers['location']
  if (location === undefined) throw new Error(`${answer.status} ${answer.text}`)
  return new URL(location).searchParams.get('code') ?? ''
}

export function tokensOf(answer: Answer): Tokens {
  expect(answer.status, answer.text).to.equal(200)
  return answer.body as unknown as Tokens
}

/** A registration without a secret. */
export const OPEN = {
  client_name: 'Assistant',
  redirect_uris: [REDIRECT_URI],
  token_endpoint_auth_method: 'none',
}

/** What a client and its owner do, from the registration to the refresh. */
export function clientSteps(send: SendRequest) {
  const steps = {
    /** A registered client without a secret. */
    async publicClient(metadata: object = {}): Promise<string> {
      const json = { ...OPEN, ...metadata }
      const answer = await send('POST', '/auth/register', { json })
      expect(answer.status, answer.text).to.equal(201)
      return String(answer.body['client_id'])
    },

    /** What the owner is shown. */
    ask(
      client: string,
      changes: Fields = {},
      headers: Readonly<Record<string, string>> = OWNER,
    ): Promise<Answer> {
      const query = new URLSearchParams(authorizeFields(client, changes)).toString()
      return send('GET', `/auth/authorize?${query}`, { headers })
    },

    /** The owner's yes. */
    allow(
      client: string,
      changes: Fields = {},
      headers: Readonly<Record<string, string>> = OWNER,
    ): Promise<Answer> {
      return send('POST', '/auth/authorize', { form: authorizeFields(client, changes), headers })
    },

    token: (client: string, form: Fields): Promise<Answer> =>
      send('POST', '/auth/access_token', { form: given({ client_id: client, ...form }) }),

    exchange(client: string, code: string, changes: Fields = {}): Promise<Answer> {
      const form = { grant_type: 'authorization_code', code, code_verifier: VERIFIER, ...changes }
      return steps.token(client, form)
    },

    refresh(client: string, refreshToken: string, changes: Fields = {}): Promise<Answer> {
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...changes }
      return steps.token(client, form)
    },

    /** From the owner's yes to the tokens. */
    async connect(client: string, changes: Fields = {}, secret: Fields = {}): Promise<Tokens> {
      const code = codeOf(await steps.allow(client, changes))
      return tokensOf(await steps.exchange(client, code, secret))
    },
  }
  return steps
}

export function claimsOf(jwt: string): Record<string, unknown> {
  const [, payload = ''] = jwt.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
}
