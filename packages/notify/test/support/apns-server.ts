import { once } from 'node:events'
import {
  createSecureServer,
  type IncomingHttpHeaders,
  type Http2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readText } from './fcm-server.ts'
import type { TestCertificates } from './certificates.ts'

interface ApnsCall {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Which connection it came over, from 1. */
  readonly connection: number
  /** Name in the client's certificate. */
  readonly peer: string | undefined
}

export interface ApnsScripted {
  readonly status: number
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export type ApnsServer = Awaited<ReturnType<typeof openApnsServer>>

/** A real HTTP/2 server with TLS. */
export async function openApnsServer(
  { cert, key, ca }: TestCertificates,
  options: { readonly asksForCertificate?: boolean } = {},
) {
  const calls: ApnsCall[] = []
  /** Answers that come instead, first to last; a function may do whatever else. */
  const answers: (ApnsScripted | ((stream: ServerHttp2Stream) => void))[] = []
  const sessions: Http2Session[] = []
  let pings = 0
  const server = createSecureServer({
    cert,
    key,
    ...(options.asksForCertificate === true && { ca, requestCert: true, rejectUnauthorized: true }),
  })
  server.on('session', (session) => {
    sessions.push(session)
    session.on('ping', () => {
      pings += 1
    })
    session.on('error', () => undefined)
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    void readText(stream).then(
      (text) => {
        const { session } = stream
        if (session === undefined) return
        const socket = session.socket as TLSSocket // The server has no other.
        const peer = socket.getPeerCertificate().subject?.CN
        calls.push({
          headers,
          text,
          connection: sessions.indexOf(session) + 1,
          peer: peer?.toString(),
        })
        const answer = answers.shift() ?? { status: 200 }
        if (typeof answer === 'function') answer(stream)
        else respond(stream, answer)
      },
      () => undefined,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A TCP server's.
  return {
    origin: `https://localhost:${port}`,
    calls,
    answers,
    /** So far. */
    get connections() {
      return sessions.length
    },
    get pings() {
      return pings
    },
    async close() {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function respond(stream: ServerHttp2Stream, { status, json, headers = {} }: ApnsScripted): void {
  stream.respond({ ':status': status, ...headers })
  stream.end(json === undefined ? '' : JSON.stringify(json))
}
