import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openHostile } from '../../test/support/hostile-client.ts'
import type { Pool } from './cases.ts'

type Random = () => number

/** Bytes that are no request, or nearly one. */
const PIECES: readonly string[] = [
  'GET / HTTP/1.1\r\n',
  'POST /auth/login HTTP/1.1\r\n',
  'GET /auth/login HTTP/9.9\r\n',
  'Host: alice.example.com\r\n',
  'Host: a\r\nHost: b\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Upgrade: websocket\r\nConnection: upgrade\r\n',
  'Expect: 100-continue\r\n',
  'X: \0\r\n',
  ': \r\n',
  '\r\n',
  'ffffffffffffffff\r\n',
  '0\r\n\r\n',
  'hello',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
]

/** @returns what is wrong: an answer that begins with 5xx, but 501, 503 and 505 */
export async function fuzzSocket(
  port: number,
  random: Random,
): Promise<{ readonly sent: string; readonly fault: string | undefined }> {
  const count = 1 + Math.floor(random() * 6)
  const sent = Array.from(
    { length: count },
    () => PIECES[Math.floor(random() * PIECES.length)] ?? '',
  ).join('')
  const { socket, said } = await openHostile(port, sent)
  await Promise.race([once(socket, 'data').catch(() => {}), pause(30)])
  socket.destroy()
  const status = /^HTTP\/1\.1 (5\d\d)/.exec(said())?.[1]
  const isFault = status !== undefined && !['501', '503', '505'].includes(status)
  return { sent, fault: isFault ? `answered ${status}` : undefined }
}

const MESSAGES: readonly string[] = [
  '',
  'null',
  '[]',
  '{',
  '{"method":"AUTH"}',
  '{"method":"AUTH","payload":{}}',
  '{"method":"AUTH","payload":"x"}',
  '{"method":"SUBSCRIBE","payload":null}',
  '{"method":"SUBSCRIBE","payload":{"type":"__proto__"}}',
  '{"method":"SUBSCRIBE","payload":{"type":"io.svc.notes","id":7}}',
  '{"method":"UNSUBSCRIBE","payload":{"type":"io.svc.notes"}}',
  '{"method":"toString"}',
  `{"method":"${'a'.repeat(3000)}"}`,
]

/** Sends odd messages on a websocket; the close code 1011 says that the server broke. */
export async function fuzzWebsocket(
  port: number,
  { domain, tokens }: Pool,
  random: Random,
): Promise<{ readonly sent: readonly string[]; readonly fault: string | undefined }> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/`, { headers: { host: domain } })
  let code = 0
  socket.on('error', () => {})
  socket.on('close', (closed) => {
    code = closed
  })
  await Promise.race([once(socket, 'open').catch(() => {}), pause(5000)])
  const sent = Array.from(
    { length: 1 + Math.floor(random() * 5) },
    () => MESSAGES[Math.floor(random() * MESSAGES.length)] ?? '',
  )
  if (random() < 0.7) {
    const token = tokens[Math.floor(random() * tokens.length)] ?? ''
    sent.unshift(JSON.stringify({ method: 'AUTH', payload: token }))
  }
  for (const message of sent) {
    if (socket.readyState !== WebSocket.OPEN) break
    socket.send(random() < 0.1 ? Buffer.from(message) : message)
  }
  await pause(20)
  socket.terminate()
  return { sent, fault: code === 1011 ? 'closed with 1011' : undefined }
}
