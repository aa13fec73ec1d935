import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type http from 'node:http'
import { listen } from '@svc/testkit'
import { jwtVerify, type JWTPayload } from 'jose'

interface FcmCall {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
  readonly message: Readonly<Record<string, unknown>>
}

/** What a server answers: JSON, or whatever else. */
export interface Scripted {
  readonly status: number
  readonly headers?: http.OutgoingHttpHeaders
  readonly json?: unknown
}

export type FcmServer = Awaited<ReturnType<typeof openFcmServer>>

let keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined

/** FCM and the token endpoint before it: gives a token only for an assertion that is right. */
export async function openFcmServer() {
  keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { privateKey, publicKey } = keys
  const calls: FcmCall[] = []
  /** Claims of the assertions that were taken, with their header. */
  const assertions: { readonly header: unknown; readonly claims: JWTPayload }[] = []
  /** Answers that come instead, first to last. */
  const answers: Scripted[] = []
  const tokenAnswers: Scripted[] = []

  /** Awaited before anything of the token endpoint is answered. */
  const gate: { tokenGate?: Promise<void> } = {}
  async function giveToken(body: string): Promise<Scripted> {
    await gate.tokenGate
    const scripted = tokenAnswers.shift()
    if (scripted !== undefined) return scripted
    const form = new URLSearchParams(body)
    const isRight = form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    const audience = `${listening.origin}/token`
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      algorithms: ['RS256'],
      audience,
    })
    if (!isRight) return { status: 400, json: { error: 'unsupported_grant_type' } }
    assertions.push({ header: protectedHeader, claims: payload })
    const json = { access_token: `access-${assertions.length}`, expires_in: 3600 }
    return { status: 200, json }
  }

  function take(request: http.IncomingMessage, text: string): Scripted {
    const { message } = JSON.parse(text) as { message: FcmCall['message'] } // Sent by the gateway.
    calls.push({ path: request.url ?? '', headers: request.headers, text, message })
    return answers.shift() ?? { status: 200, json: { name: `projects/p/messages/${calls.length}` } }
  }

  const listening = await listen((request, response) => {
    void readText(request).then(async (text) => {
      const isToken = request.url === '/token'
      const answer = isToken
        ? await giveToken(text).catch(() => ({ status: 400, json: { error: 'invalid_grant' } }))
        : take(request, text)
      reply(response, answer)
    })
  })
  return Object.assign(gate, {
    origin: listening.origin,
    /** A service account as its file holds it. */
    account: {
      type: 'service_account',
      project_id: 'project-1',
      private_key_id: 'key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: 'push@project-1.example',
      token_uri: `${listening.origin}/token`,
    },
    calls,
    assertions,
    answers,
    tokenAnswers,
    close: () => listening.close(),
  })
}

export async function readText(request: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

export function reply(
  response: http.ServerResponse,
  { status, headers = {}, json }: Scripted,
): void {
  const body = typeof json === 'string' ? json : JSON.stringify(json ?? {})
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(body)
}
