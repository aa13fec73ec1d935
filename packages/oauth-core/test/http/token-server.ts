import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { CHALLENGE, clientSteps, codeOf, type Fields } from '../client-steps.ts'
import { METADATA, oauthServer, type Registered, type Send, sendTo } from '../oauth-server.ts'

export const SCOPE = 'io.svc.contacts io.svc.files:GET'
/** For codes that need the verifier. */
export const PKCE = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }

type Form = Readonly<Record<string, string>>
export type TokenServer = Awaited<ReturnType<typeof tokenServer>>

/** The whole package, and what a client with a secret does once its owner allowed it. */
export async function tokenServer(options: Parameters<typeof oauthServer>[0] = {}) {
  const server = await oauthServer(options)
  const ended: { readonly name: string; readonly event: object }[] = []
  for (const name of ['grant.revoked', 'token.issued'] as const) {
    server.oauth.on(name, (event) => ended.push({ name, event }))
  }
  /** `POST /auth/access_token` with the client's credentials in the form. */
  const token = ({ id, secret }: Registered, form: Form, request: Send = {}) =>
    server.send('POST', '/auth/access_token', {
      form: { client_id: id, client_secret: secret, ...form },
      ...request,
    })
  return {
    ...server,
    token,
    /** Events of one name, without the name. */
    eventsOf: (wanted: string) => ended.filter(({ name }) => name === wanted).map((e) => e.event),
    /** A code, without a challenge unless one is named. */
    async mint({ id }: Registered, changes: Fields = {}): Promise<string> {
      const open = { code_challenge: undefined, code_challenge_method: undefined }
      const redirect_uri = METADATA.redirect_uris[0]
      return codeOf(await server.allow(id, { redirect_uri, scope: SCOPE, ...open, ...changes }))
    },
    exchange: (client: Registered, code: string, form: Form = {}) =>
      token(client, { grant_type: 'authorization_code', code, ...form }),
    refresh: (client: Registered, refreshToken: unknown, form: Form = {}) =>
      token(client, { grant_type: 'refresh_token', refresh_token: String(refreshToken), ...form }),
  }
}

/** What another process is told: the same sealing key on the same store. */
export interface ProcessArguments {
  /** A file, or the address of Redis. */
  readonly at: string
  readonly isRedis: boolean
  /** In base64. */
  readonly sealingKey: string
  /** Whether it kills itself once a refresh token was rotated, before anybody is answered. */
  readonly diesAfterRotation?: boolean
}

/** Another process that serves the package; `stop` ends it unless it ended. */
export async function secondProcess(told: ProcessArguments) {
  const script = path.join(import.meta.dirname, 'server-process.ts')
  const child: ChildProcess = fork(script, [JSON.stringify(told)])
  const exit = once(child, 'exit')
  const [port] = (await once(child, 'message')) as [number] // What it says first.
  const send = sendTo(port)
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect()
    await exit
  }
  return { ...clientSteps(send), send, exit, stop }
}
