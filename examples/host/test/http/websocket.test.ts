import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { eachTestHost } from '../support/for-test.ts'

describe('the websocket of the host', () => {
  const host = eachTestHost({ SVC_LIFETIMES_REALTIME_SHUTDOWN: '0ms' })
  let cookie: string
  let sessionId: string

  beforeEach(async () => {
    const opened = await host.host.app.ui.owners.createSession(host.instance)
    cookie = `${opened.cookie.name}=${opened.cookie.value}`
    sessionId = opened.session.id
  })

  const connectHome = (): Promise<WebSocket> => connectApp('home', 'io.svc.auth.confirmations')

  /** A connection of the app, in the owner's session, that listens to the type. */
  async function connectApp(slug: string, type: string): Promise<WebSocket> {
    const { app, port } = host.host
    const manifest = await app.apps.installed(host.instance, slug)
    if (manifest === undefined) throw new Error(`${slug} is not installed`)
    const payload = await app.oauth.appTokens.issue(host.instance, manifest, sessionId)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/`, 'io.cozy.websocket', {
      headers: { host: 'alice.example.com', cookie },
    })
    await once(socket, 'open')
    socket.send(JSON.stringify({ method: 'AUTH', payload }))
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type } }))
    // Answered with an error, behind the others.
    socket.send(JSON.stringify({ method: 'ping' }))
    const answer = String(await once(socket, 'message'))
    expect(answer).to.include('The ping method is not supported')
    return socket
  }

  async function endOf(socket: WebSocket): Promise<readonly [number, string]> {
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
    return [code, reason.toString()]
  }

  it('tells of a confirmation, and is counted', async () => {
    const socket = await connectHome()
    const type = 'io.svc.auth.confirmations'
    const event = { type, id: 'state', doc: { _id: 'state' } }
    const heard = once(socket, 'message')
    await host.host.app.realtime.publish(host.instance, 'CREATED', event)
    const [message] = (await heard) as [Buffer]
    expect(JSON.parse(message.toString())).to.deep.equal({ event: 'CREATED', payload: event })
    const metrics = await (await host.admin('GET', '/metrics')).text()
    expect(metrics).to.match(/^svc_websocket_connections 1$/m)
    expect(metrics).to.match(/^svc_websocket_subscriptions 1$/m)
    socket.terminate()
  })

  it('tells the settings app of clients, by their id alone', async () => {
    const socket = await connectApp('settings', 'io.svc.oauth.clients')
    const heard: { event: string }[] = []
    socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString())))
    const { party } = await host.connect('io.svc.files')
    const id = party.client.client_id
    await host.host.app.oauth.clients.revoke(host.instance, id, 'test')
    while (heard.at(-1)?.event !== 'DELETED') await once(socket, 'message')
    const payload = { type: 'io.svc.oauth.clients', id }
    expect(heard[0]).to.deep.equal({ event: 'CREATED', payload })
    expect(heard.at(-1)).to.deep.equal({ event: 'DELETED', payload })
    socket.terminate()
  })

  it('closes when the owner logs out elsewhere', async () => {
    const socket = await connectHome()
    const end = endOf(socket)
    await host.host.app.ui.owners.deleteAllSessions(host.instance)
    expect(await end).to.deep.equal([1008, 'session closed'])
  })

  it('closes when its app is uninstalled', async () => {
    const socket = await connectHome()
    const end = endOf(socket)
    await host.host.app.apps.uninstall(host.instance, 'home')
    expect(await end).to.deep.equal([1008, 'authentication failed'])
  })

  it('closes with 1001 when the server ends', async () => {
    const socket = await connectHome()
    const end = endOf(socket)
    await host.host.stop()
    expect(await end).to.deep.equal([1001, 'server shutdown'])
  })

  it('passes over other protocols: the request is answered as it is', async () => {
    const socket = connect(host.host.port, '127.0.0.1')
    socket.write(
      'GET /auth/login HTTP/1.1\r\nHost: alice.example.com\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
    )
    const [head] = (await once(socket, 'data')) as [Buffer]
    expect(String(head)).to.match(/^HTTP\/1\.1 200 OK\r\n/)
    socket.destroy()
  })
})
