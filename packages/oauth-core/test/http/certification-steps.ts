import type http from 'node:http'
import type { Answer, OAuthServer, Registered } from '../oauth-server.ts'
import { METADATA } from '../oauth-server.ts'
import { CHALLENGE } from '../client-steps.ts'

/** Parameters of a request for scope `*`. */
export function everything(
  { id }: Registered,
  changes: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    client_id: id,
    redirect_uri: METADATA.redirect_uris[0],
    response_type: 'code',
    state: 'the state',
    scope: '*',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  }
}

export function everythingUrl(client: Registered, changes?: Record<string, string>): string {
  return `/auth/authorize?${new URLSearchParams(everything(client, changes)).toString()}`
}

/** The owner opens the page of scope `*`; `token` of its form, empty when there is none. */
export async function askForEverything(
  server: OAuthServer,
  client: Registered,
  request: { readonly method?: string; readonly headers?: http.OutgoingHttpHeaders } = {},
): Promise<Answer & { readonly token: string }> {
  const { method = 'GET', headers = {} } = request
  const answer = await server.send(method, everythingUrl(client), {
    headers: { cookie: 'session=owner', ...headers },
  })
  return { ...answer, token: /name="token" value="([^"]*)"/.exec(answer.text)?.[1] ?? '' }
}

export async function isFlagship(server: OAuthServer, { id }: Registered): Promise<boolean> {
  return (await server.oauth.clients.get(server.instance, id))?.flagship === true
}
