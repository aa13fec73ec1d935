import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterTest } from '@svc/testkit'

export interface RawClientOptions {
  /** As a client elsewhere would have, of 127.0.0.0/8. */
  readonly from?: string
  /** Speaks TLS. */
  readonly isSecure?: boolean
}

/** A client that sends bytes as they are. Its side stays open until the test has ended. */
export interface RawClient {
  readonly socket: Socket
  /** What came so far. */
  said(): string
  /** Status codes of the answers so far. */
  statuses(): number[]
  send(text: string | Buffer): void
  /** Does not take what comes any more. */
  stopReading(): void
}

export async function openClient(port: number, options: RawClientOptions = {}): Promise<RawClient> {
  const target = { port, host: '127.0.0.1', ...(options.from && { localAddress: options.from }) }
  const socket = options.isSecure
    ? connectTls({ socket: connect({ ...target, allowHalfOpen: true }), rejectUnauthorized: false })
    : connect({ ...target, allowHalfOpen: true })
  let answer = ''
  socket.setEncoding('latin1')
  socket.on('data', (part: string) => {
    answer += part
  })
  socket.on('error', () => {})
  afterTest(() => socket.destroy())
  await once(socket, options.isSecure ? 'secureConnect' : 'connect')
  return {
    socket,
    said: () => answer,
    statuses: () => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code)),
    send: (text) => void socket.write(text),
    stopReading: () => void socket.pause(),
  }
}

/** @throws Error after `limitMs` */
export async function until(condition: () => boolean, limitMs = 8000): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it never happened')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export function get(path = '/', headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: alice.example\r\n${headers}\r\n`
}

export function post(body: string, path = '/', headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: alice.example\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`
}
