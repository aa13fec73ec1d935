import { once } from 'node:events'
import { connect } from 'node:tls'
import {
  browserClient,
  type BrowserResponse,
  loopbackFetch,
  relyingParty,
  scaledLimit,
} from '@svc/testkit'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import type { LogLine } from '../host-process.ts'

/** A server with TLS in front, as visitors see it. */
export interface Fronted {
  readonly domain: string
  /** Where TLS ends. */
  readonly httpsPort: number
  readonly ca: string
  readonly log: () => readonly LogLine[]
  readonly svc: (...args: readonly string[]) => Promise<{ readonly code: number; stdout: string }>
}

/** An address of this machine that is none of the proxy's. */
const VISITOR = '127.0.0.5'
const FORGED = '192.0.2.7'
const LOGIN_VALUE = Buffer.alloc(32, 'what a browser makes').toString('base64')
const TYPE = 'io.svc.contacts'
const HALF_MIB = 524_288

/** The main job, seen from outside: every step of it, and what only a proxy can get wrong. @see operation.md 7.3 */
export async function doMainJob(fronted: Fronted): Promise<void> {
  const { domain, httpsPort, ca, log, svc } = fronted
  const origin = `https://${domain}`
  const map = { port: httpsPort, tls: { ca }, localAddress: VISITOR }
  // Each request claims to come from elsewhere.
  const browser = browserClient({ ...map, base: origin, headers: { 'x-forwarded-for': FORGED } })

  const created = await svc('instance', 'create', domain, '--public-name', 'Alice', '--json')
  expect(created).to.include({ code: 0 })
  const { onboardingUrl } = JSON.parse(created.stdout) as { onboardingUrl: string } // of the command
  expect(onboardingUrl.startsWith(`${origin}/`), onboardingUrl).to.equal(true)
  const choose = await browser.get(onboardingUrl)
  const fields = { passphrase: LOGIN_VALUE, iterations: '50000' }
  const chosen = await browser.submit(choose.page().form('/settings/passphrase'), fields)
  expect(chosen.status).to.equal(302)

  const visitor = browser.another()
  const login = (await visitor.get('/auth/login')).page()
  const entered = await visitor.submit(login.form('/auth/login'), { passphrase: LOGIN_VALUE })
  expect(entered.status).to.equal(302)
  for (const { raw } of entered.setCookies) {
    expect(raw).to.match(/; Secure/i)
    expect(raw).to.match(/; HttpOnly/i)
  }
  expect(entered.setCookies).to.not.have.lengthOf(0)
  expectHsts(entered)

  const party = relyingParty({ ...map, issuer: origin })
  await party.register({ client_name: 'Address Book' })
  const pending = await party.authorize({ scope: `${TYPE}:GET,POST` })
  const consent = await visitor.get(pending.url)
  expectHsts(consent)
  const allowed = await visitor.submit(consent.page().form('/auth/authorize'))
  const tokens = await party.exchange(allowed.location ?? '', pending)
  const { access_token: token } = await party.refresh(tokens.refresh_token ?? '')

  const socket = await listenTo(fronted, token)
  const heard = once(socket, 'message')
  const contacts = `${origin}/data/${TYPE}`
  expect((await party.call(token, 'POST', contacts, { name: 'Bob' })).status).to.equal(201)
  const [event] = (await heard) as [Buffer] // of a message
  expect(JSON.parse(event.toString())).to.deep.include({ event: 'CREATED' })
  expect((await party.call(token, 'GET', contacts)).status).to.equal(200)

  await expectSizes(fronted, map)

  const closed = once(socket, 'close')
  const revokedAt = performance.now()
  expect(await svc('client', 'revoke', domain, party.client.client_id)).to.include({ code: 0 })
  await closed
  expect(performance.now() - revokedAt).to.be.lessThan(scaledLimit(2000))
  const call = loopbackFetch(map)
  const headers = { authorization: `Bearer ${token}` }
  expect((await call(contacts, { headers })).status).to.equal(401)

  const lines = log().filter(({ event }) => event === 'login.succeeded')
  expect(lines).to.not.have.lengthOf(0)
  for (const line of lines) expect(line).to.include({ audit: true, address: VISITOR })
  expect(JSON.stringify(log())).to.not.include(FORGED)
}

/** A notification of 512 KiB goes through, and nothing of 1 MiB. */
async function expectSizes(
  { domain, svc }: Fronted,
  map: Parameters<typeof loopbackFetch>[0],
): Promise<void> {
  const made = await svc('token', 'app', domain, 'safe', '--json')
  const { token, cookie } = JSON.parse(made.stdout) as { token: string; cookie: string } // of the command
  const send = async (bytes: number): Promise<number> => {
    const attributes = { category: 'reminders', title: 'Reminder', padding: '' }
    const empty = JSON.stringify({ data: { attributes } }).length
    attributes.padding = 'x'.repeat(bytes - empty)
    const answer = await loopbackFetch(map)(`https://${domain}/notifications`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        cookie,
        'content-type': 'application/vnd.api+json',
      },
      body: JSON.stringify({ data: { attributes } }),
    })
    return answer.status
  }
  expect(await send(HALF_MIB), 'a notification of 512 KiB').to.equal(201)
  expect(await send(2 * HALF_MIB), 'a body of 1 MiB').to.equal(413)
}

async function listenTo({ domain, httpsPort, ca }: Fronted, token: string): Promise<WebSocket> {
  const socket = new WebSocket(`wss://${domain}/realtime/`, 'io.cozy.websocket', {
    createConnection: () =>
      connect({
        host: '127.0.0.1',
        port: httpsPort,
        servername: domain,
        ca,
        ALPNProtocols: ['http/1.1'],
      }),
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ method: 'AUTH', payload: token }))
  socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type: TYPE } }))
  // Answered with an error, behind the others.
  socket.send(JSON.stringify({ method: 'ping' }))
  expect(String(await once(socket, 'message'))).to.include('The ping method is not supported')
  return socket
}

/** Said once: of a header that came twice, Node joins the values by a comma. */
function expectHsts({ headers }: BrowserResponse): void {
  expect(headers['strict-transport-security']).to.match(/^max-age=\d+[^,]*$/)
}
