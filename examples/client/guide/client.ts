/**
 * A client of a personal-data server: `node client.ts https://alice.example.com [once]`. It keeps what it is given in
 * client.json, so that its owner is asked once. With `once` it ends before it listens.
 */
import dns from 'node:dns'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import * as oauth from 'oauth4webapi'

interface Kept extends oauth.Client {
  registration_access_token?: string
  access_token?: string
  refresh_token?: string
}
class Gone extends Error {}
const [address = 'http://localhost:8080', once] = process.argv.slice(2)
const FILE = 'client.json'
const REDIRECT = 'http://127.0.0.1:18917/callback' // a native app may register app.example://callback as well
const SCOPE = 'io.svc.notes:GET,POST io.svc.notifications:POST'
const isHere = address.startsWith('http:') // a server on this computer
const options = { [oauth.allowInsecureRequests]: isHere }
const say = (line: string): void => void process.stdout.write(`${line}\n`)

// Browsers take names below localhost for this computer; the resolvers of many systems do not know them.
const lookup = new Proxy(dns.lookup, {
  apply: (resolve, self, [host, ...rest]: [string, ...unknown[]]) =>
    Reflect.apply(resolve, self, [host.endsWith('.localhost') ? 'localhost' : host, ...rest]) as undefined,
})
Object.assign(dns, { lookup })

// 1. Discover: every address comes from the server's own description. On this computer localhost leads to the space.
const wellKnown = new URL('/.well-known/oauth-authorization-server', address)
const found = await fetch(wellKnown, { redirect: isHere ? 'follow' : 'error' })
const base = new URL(found.url).origin
const as = await oauth.processDiscoveryResponse(new URL(base), found)
// 2. Register once, and keep what comes back: the secret and the token that manages the registration.
const kept: Kept = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Kept) : await register()
try {
  if (kept.refresh_token === undefined) await authorize()
  await work()
  if (once === undefined) await listen()
} catch (error) {
  if (!(error instanceof Gone)) throw error
  rmSync(FILE) // 9. The owner took the access back: what was kept is worth nothing, and the next start asks anew.
  say('Revoked: the owner is asked at the next start')
}
async function register(): Promise<Kept> {
  const metadata = {
    client_name: 'Guide in TypeScript',
    software_id: 'guide-ts',
    redirect_uris: [REDIRECT],
    notifications: { done: { description: 'Something is done' } },
  }
  const answer = await oauth.dynamicClientRegistrationRequest(as, metadata, options)
  return save((await oauth.processDynamicClientRegistrationResponse(answer)) as Kept)
}
function save(client: Kept): Kept {
  writeFileSync(FILE, JSON.stringify(client), { mode: 0o600 })
  return client
}
// 3. Ask the owner, with PKCE; the browser comes back to a port of this computer. 4. Exchange the code.
async function authorize(): Promise<void> {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const consent = new URL(as.authorization_endpoint ?? '')
  consent.search = new URLSearchParams({
    client_id: kept.client_id, redirect_uri: REDIRECT, response_type: 'code', scope: SCOPE, state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  }).toString()
  const visit = new Promise<URL>((resolve) => {
    const server = createServer((request, response) => {
      response.end('Go back to the program.')
      resolve(new URL(request.url ?? '', REDIRECT))
      server.close()
    }).listen(18917, '127.0.0.1', () => say(`Open ${consent.href}`))
  })
  const code = oauth.validateAuthResponse(as, kept, await visit, state) // throws what the owner refused
  const auth = oauth.ClientSecretPost(String(kept.client_secret))
  const answer = await oauth.authorizationCodeGrantRequest(as, kept, auth, code, REDIRECT, verifier, options)
  const tokens = await oauth.processAuthorizationCodeResponse(as, kept, answer)
  save(Object.assign(kept, { access_token: tokens.access_token, refresh_token: tokens.refresh_token }))
}
// 6. The access token is refused: get another one with the refresh token. A client that is gone hears it here.
async function refresh(): Promise<void> {
  const auth = oauth.ClientSecretPost(String(kept.client_secret))
  const answer = await oauth.refreshTokenGrantRequest(as, kept, auth, String(kept.refresh_token), options)
  if (answer.status === 400 || answer.status === 401) throw new Gone(await answer.text())
  const tokens = await oauth.processRefreshTokenResponse(as, kept, answer)
  save(Object.assign(kept, { access_token: tokens.access_token }))
  say('Refreshed')
}
// 5. Call, with the token in the header alone; a 401 is answered by one refresh and one repetition.
async function call(method: string, path: string, body?: unknown, headers = {}, again = true): Promise<Response> {
  const token = path.startsWith('/auth/register/') ? kept.registration_access_token : kept.access_token
  const all = { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(new URL(path, base), { method, headers: all, body: JSON.stringify(body) ?? null })
  if (answer.status === 404 && path.startsWith('/auth/register/')) throw new Gone('not registered')
  if (answer.status !== 401 || !again || token === kept.registration_access_token) return answer
  await refresh()
  return call(method, path, body, headers, false)
}
async function work(): Promise<void> {
  say(`Note ${(await call('POST', '/data/io.svc.notes', { text: 'from the guide' })).status}`)
  // 7. A notification with a key of its own: whoever got no answer sends it again, and the owner hears it once.
  const data = { type: 'io.svc.notifications', attributes: { category: 'done', title: 'It is done' } }
  const key = { 'idempotency-key': crypto.randomUUID() }
  await call('POST', '/notifications', { data }, key)
  say(`Notified ${(await call('POST', '/notifications', { data }, key)).headers.get('idempotency-replayed')}`)
  // 8. Change the secret, with the present one; a push token goes the same way. The old secret is dead at once.
  const { client_id, client_name, redirect_uris, software_id, client_secret } = kept
  const update = { client_id, client_name, redirect_uris, software_id, client_secret }
  const push = { notification_platform: 'android', notification_device_token: 'token-of-this-phone' }
  const answer = await call('PUT', `/auth/register/${client_id}`, { ...update, ...push })
  save(Object.assign(kept, { client_secret: ((await answer.json()) as Kept).client_secret }))
  say(`Secret ${answer.status}`)
}
// 10. Listen, and connect again after a pause that grows; each time a read says whether the token still counts.
async function listen(): Promise<void> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 60)) {
    const socket = new WebSocket(new URL('/realtime/', base.replace(/^http/, 'ws')), ['io.svc.websocket'])
    socket.onopen = () => {
      socket.send(JSON.stringify({ method: 'AUTH', payload: kept.access_token }))
      socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type: 'io.svc.notes' } }))
      say('Listening')
    }
    socket.onmessage = ({ data }) => { say(`Heard ${(JSON.parse(String(data)) as { event: string }).event}`); pause = 1 }
    await new Promise((resolve) => (socket.onclose = resolve))
    await sleep(pause * 1000)
    await call('GET', '/data/io.svc.notes')
  }
}
