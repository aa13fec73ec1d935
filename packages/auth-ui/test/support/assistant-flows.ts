import { createHash } from 'node:crypto'
import type { BrowserClient } from '@svc/testkit'
import type { UiServer } from './ui-server.ts'

const VERIFIER = 'v'.repeat(43)
const REDIRECT_URI = 'https://assistant.example/callback'

/** Lets assistants connect at all: `/mcp` on every instance. */
export function addResource({ oauth }: Pick<UiServer, 'oauth'>): void {
  oauth.resources.add({
    path: '/mcp',
    name: 'Assistants',
    scopes: ['io.svc.contacts:GET'],
    isOpen: true,
  })
}

export interface ConnectedAssistant {
  readonly id: string
  readonly refreshToken: string
}

/** A client without a secret that registers and whose owner allows it what the page proposes. */
export async function connectAssistant(
  browser: BrowserClient,
  name = 'Helper',
): Promise<ConnectedAssistant> {
  const registered = await browser.postJson('/auth/register', {
    client_name: name,
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  })
  const { client_id: id } = registered.json<{ client_id: string }>()
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    state: 's',
    scope: 'io.svc.contacts:GET',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const page = await browser.get(`/auth/authorize?${query.toString()}`)
  const shown = Object.fromEntries(page.page().form('/auth/authorize').fields)
  const { location } = await browser.post('/auth/authorize', shown)
  const code = new URL(location ?? 'x:').searchParams.get('code') ?? ''
  const tokens = await browser.post('/auth/access_token', {
    grant_type: 'authorization_code',
    client_id: id,
    code,
    code_verifier: VERIFIER,
  })
  const { refresh_token: refreshToken } = tokens.json<{ refresh_token: string }>()
  return { id, refreshToken }
}
