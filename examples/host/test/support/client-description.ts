import { listen } from '@svc/testkit'

/** A client that describes itself under an address of this computer. @see assistants.md 2.13 */
export interface ClientDescription {
  /** Its `client_id`. */
  readonly url: string
  close(): Promise<void>
}

export async function openDescription(
  name: string,
  redirectUri: string,
): Promise<ClientDescription> {
  const server = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        client_id: url,
        client_name: name,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }),
    )
  })
  const url = `${server.origin}/assistant.json`
  return { url, close: () => server.close() }
}
