#!/usr/bin/env node
/**
 * An outside OAuth client, as anybody could write one: it knows the server's address and nothing else.
 *
 *   npx pnpm@12.21.0 client [http://alice.localhost:8080]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'
import { openCallback } from './callback.ts'
import { localFetch } from './local-fetch.ts'

const server = new URL(process.argv[2] ?? 'http://alice.localhost:8080')
const SCOPE = 'io.svc.notes:GET,POST'
const http = {
  [oauth.customFetch]: localFetch,
  [oauth.allowInsecureRequests]: server.protocol === 'http:',
}
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const callback = await openCallback()
try {
  await run()
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
} finally {
  callback.close()
}

async function run(): Promise<void> {
  const as = await oauth.processDiscoveryResponse(
    server,
    await oauth.discoveryRequest(server, { ...http, algorithm: 'oauth2' }),
  )
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      as,
      {
        client_name: 'Example client',
        redirect_uris: [callback.redirectUri],
        software_id: 'example-client',
      },
      http,
    ),
  )
  say(`Registered as ${client.client_name?.toString() ?? ''}, client_id ${client.client_id}`)
  const authentication = oauth.ClientSecretPost(client.client_secret as string)

  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const address = new URL(as.authorization_endpoint ?? '')
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: callback.redirectUri,
    response_type: 'code',
    scope: SCOPE,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  say(`\nOpen this in the browser you are logged in with:\n  ${address.href}\n`)

  const answer = oauth.validateAuthResponse(as, client, await callback.visit, state)
  const tokens = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(
      as,
      client,
      authentication,
      answer,
      callback.redirectUri,
      verifier,
      http,
    ),
  )
  const hours = Math.round((tokens.expires_in ?? 0) / 3600)
  say(`Allowed: exchanged the code for tokens for "${tokens.scope ?? ''}", valid for ${hours} h`)

  const written = await call(tokens.access_token, 'POST', 'io.svc.notes', {
    text: 'Written by the example client',
  })
  say(`POST /data/io.svc.notes     ${written}  a note was written; reload the start page to see it`)
  say(`GET  /data/io.svc.notes     ${await call(tokens.access_token, 'GET', 'io.svc.notes')}`)
  const other = await call(tokens.access_token, 'GET', 'io.svc.contacts')
  say(`GET  /data/io.svc.contacts  ${other}  not allowed by the owner`)

  const renewed = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(
      as,
      client,
      authentication,
      tokens.refresh_token ?? '',
      http,
    ),
  )
  say('Refreshed: a new access token\n')
  say('Now remove the access of "Example client" in the settings. Reading every second until then:')
  let status = 200
  while (status === 200) {
    await sleep(1000)
    status = await call(renewed.access_token, 'GET', 'io.svc.notes')
    say(`GET  /data/io.svc.notes     ${status}`)
  }
  say('The token was revoked, long before its 24 hours were over.')
}

/** Calls the server's small resource and gives the status. */
async function call(token: string, method: string, type: string, json?: unknown): Promise<number> {
  const answer = await localFetch(new URL(`/data/${type}`, server), {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  return answer.status
}

/** What went wrong, in words where it is not a fault of this program. */
function explain(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied') {
    return 'Refused: the client has no access.'
  }
  const { code, stack } = error as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') {
    return `No server answers at ${server.origin}: is it running?`
  }
  return stack ?? String(error)
}
