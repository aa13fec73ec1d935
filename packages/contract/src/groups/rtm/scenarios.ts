import { Socket, type SocketOptions } from '../../net/socket.ts'
import type { World } from '../../world/world.ts'
import type { Scenario } from '../group.ts'

/** Waited for at most, also on a busy machine. */
const WAIT_MS = 10_000
const OFFERED = { protocols: ['io.svc.websocket'] }

/** Opens connections, says the right and the wrong things, and revokes the token of one. */
export const connections: Scenario = {
  id: 'rtm',
  needs: ['realtime', 'revocation'],
  async run(world) {
    const { clients } = world
    const client = await clients.shared('other')
    const tokens = await clients.tokens('rtm.grant', client)
    await protocols(world)
    await wrongStarts(world, tokens.refresh)
    await talk(world, tokens.access)
    await revoked(world)
    await world.send('rtm.plain', '/realtime/', { headers: { Accept: '*/*' } })
  },
}

async function protocols(world: World): Promise<void> {
  const offers: readonly (readonly [string, SocketOptions])[] = [
    ['rtm.protocol', OFFERED],
    ['rtm.protocol.list', { protocols: ['other', 'io.svc.websocket'] }],
    ['rtm.protocol.legacy', { protocols: ['io.cozy.websocket'] }],
  ]
  for (const [label, options] of offers) {
    const socket = await connect(world, label, options)
    socket.end()
  }
}

async function wrongStarts(world: World, refresh: string): Promise<void> {
  const first: readonly (readonly [string, unknown])[] = [
    ['rtm.first.broken', 'this is no JSON'],
    ['rtm.first.subscribe', { method: 'SUBSCRIBE', payload: { type: 'io.svc.contacts' } }],
    ['rtm.first.token', { method: 'AUTH', payload: 'not-a-token' }],
    ['rtm.first.empty', { method: 'AUTH' }],
    ['rtm.first.refresh', { method: 'AUTH', payload: refresh }],
  ]
  for (const [label, message] of first) {
    const socket = await connect(world, label, OFFERED)
    socket.send(message)
    await socket.until(() => socket.isClosed, WAIT_MS)
    socket.end()
  }
}

async function talk(world: World, access: string): Promise<void> {
  const type = world.scope.split(':', 1)[0] ?? ''
  const socket = await connect(world, 'rtm.talk', OFFERED)
  socket.send({ method: 'AUTH', payload: access })
  socket.send({ method: 'auth', payload: access })
  socket.send({ method: 'SUBSCRIBE', payload: { type } })
  socket.send({ method: 'SUBSCRIBE', payload: { type } })
  socket.send({ method: 'UNSUBSCRIBE', payload: { type } })
  // What is answered: a type without permission, none, and what is no method.
  socket.send({ method: 'SUBSCRIBE', payload: { type: `${world.profile.namespace}.bills` } })
  socket.send({ method: 'SUBSCRIBE', payload: {} })
  socket.send({ method: 'ping' })
  await socket.frame(3, WAIT_MS)
  socket.end()
  const large = await connect(world, 'rtm.large', OFFERED)
  large.send({ method: 'AUTH', payload: 'x'.repeat(70_000) })
  await large.until(() => large.isClosed, WAIT_MS)
  large.end()
}

/** A grant of its own, which is revoked while the connection is open. */
async function revoked(world: World): Promise<void> {
  const { clients } = world
  const client = await clients.shared('other')
  const tokens = await clients.tokens('rtm.revoked.grant', client)
  const socket = await connect(world, 'rtm.revoked', OFFERED)
  socket.send({ method: 'AUTH', payload: tokens.access })
  socket.send({ method: 'ping' })
  await socket.frame(1, WAIT_MS)
  world.note('rtm.revoked.open', String(!socket.isClosed))
  const { revocation } = await world.endpoints()
  await world.send('rtm.revoke', revocation, {
    method: 'POST',
    form: { client_id: client.id, client_secret: client.secret, token: tokens.refresh },
  })
  const begun = performance.now()
  await socket.until(() => socket.isClosed, WAIT_MS)
  world.note('rtm.revoked.ms', String(Math.round(performance.now() - begun)))
  socket.end()
}

function connect(world: World, label: string, options: SocketOptions): Promise<Socket> {
  const url = new URL('/realtime/', world.base)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return Socket.open(world.wire, label, url, options)
}
