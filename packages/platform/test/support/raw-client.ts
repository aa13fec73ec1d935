import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterTest } from '@svc/testkit'

export interface RawClientOptions {
  /** As a client elsewhere would have, of 127.0.0.0/8. */
  readonly from?: string
  /** Speaks TLS. */
  readonly isSecure?: boolean
}

export type RawClient = Awaited<ReturnType<typeof openClient>>

/** A client that sends bytes as they are. Its side stays open until the test has ended. */
export async function openClient(port: number, options: RawClientOptions = {}) {
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
    /** What came so far. */
    said: () => answer,
    /** Status codes of the answers so far. */
    statuses: () => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code)),
    send: (text: string | Buffer) => void socket.write(text),
    /** Does not take what comes any more. */
    stopReading: () => void socket.pause(),
  }
}

export function get(path = '/', headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: alice.example\r\n${headers}\r\n`
}

export function post(body: string, path = '/', headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: alice.example\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`
}
