import type { Answered } from '../model/evidence.ts'
import { jsonOf } from '../model/expect.ts'

export interface Endpoints {
  readonly authorization: string
  readonly token: string
  readonly registration: string
  readonly revocation: string
}

/** Where the endpoints are, from the metadata, or else where the interface has them. */
export function readEndpoints(exchange: Answered, base: URL): Endpoints {
  const document = jsonOf(exchange)
  const endpoint = (name: string, path: string): string => {
    const value = document[name]
    return typeof value === 'string' && URL.canParse(value) ? value : new URL(path, base).href
  }
  return {
    authorization: endpoint('authorization_endpoint', '/auth/authorize'),
    token: endpoint('token_endpoint', '/auth/access_token'),
    registration: endpoint('registration_endpoint', '/auth/register'),
    revocation: endpoint('revocation_endpoint', '/auth/revoke'),
  }
}
