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

/** Two places that a client without a name may return to. */
export const PLACES = [REDIRECT_URI, 'http://127.0.0.1:33418/'] as const

/** Registers a client without a secret. @param name - null: it says none, and may return to both {@link PLACES} */
export async function registerAssistant(
  browser: BrowserClient,
  name: string | null,
): Promise<string> {
  const registered = await browser.postJson('/auth/register', {
    client_name: name,
    redirect_uris: name === null ? PLACES : [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
  })
  return registered.json<{ client_id: string }>().client_id
}

/** Where the client sends its owner. */
export function assistantUrl(id: string, redirectUri: string = REDIRECT_URI): string {
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: redirectUri,
    response_type: 'code',
    state: 's',
    scope: 'io.svc.contacts:GET',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return `/auth/authorize?${query.toString()}`
}

/** A client without a secret that registers and whose owner allows it what the page proposes. */
export async function connectAssistant(
  browser: BrowserClient,
  name: string | null = 'Helper',
): Promise<ConnectedAssistant> {
  const id = await registerAssistant(browser, name)
  const page = await browser.get(assistantUrl(id))
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
