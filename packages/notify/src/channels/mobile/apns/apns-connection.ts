import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  IncomingHttpStatusHeader,
  SecureClientSessionOptions,
} from 'node:http2'
import { CALL_MS, MAX_ANSWER_BYTES, parseJson, type ProviderAnswer } from '../provider-call.ts'

/** A long-lived HTTP/2 connection: opened by the first request, opened again when it ended. */
export interface ApnsConnection {
  /** Rejects when no answer came. */
  post(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<ProviderAnswer>
  /** Lets requests under way end, then ends it. */
  close(): Promise<void>
}

export interface ApnsConnectionOptions {
  readonly origin: string
  readonly tls: Pick<SecureClientSessionOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'pfx'>
  /** Milliseconds between pings. @defaultValue one minute */
  readonly pingMs?: number
  /** Milliseconds until a connection has to stand. @defaultValue `10_000` */
  readonly connectMs?: number
}

const PING_MS = 60_000
/** How long an answer to a ping may take. */
const PONG_MS = 10_000

export function createApnsConnection(options: ApnsConnectionOptions): ApnsConnection {
  const { origin, tls, pingMs = PING_MS, connectMs = CALL_MS } = options
  let current: ClientHttp2Session | undefined

  function open(): ClientHttp2Session {
    // Loaded with the first push, not with a start.
    const { connect } = process.getBuiltinModule('node:http2')
    const session = connect(origin, { ...tls, minVersion: 'TLSv1.2' })
    const forget = (): void => {
      clearTimeout(connecting)
      clearInterval(pinging)
      if (current === session) current = undefined
    }
    const connecting = setTimeout(() => session.destroy(), connectMs)
    const pinging = setInterval(() => ping(session), pingMs)
    pinging.unref()
    session.once('connect', () => clearTimeout(connecting))
    // Requests under way may still be answered; new ones need another connection.
    session.once('goaway', forget)
    session.once('close', forget)
    // Told to every request, too.
    session.on('error', forget)
    return session
  }

  return {
    async post(path, headers, body, signal) {
      if (current === undefined || current.closed || current.destroyed) current = open()
      const session = current
      const ended = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)])
      ended.throwIfAborted()
      const stream = session.request(
        { ':method': 'POST', ':path': path, ...headers },
        { signal: ended },
      )
      stream.end(body)
      try {
        return await answerOf(stream)
      } catch (error) {
        // The connection may be gone without a word: the next request must not wait for that again.
        if (ended.aborted) ping(session)
        throw error
      }
    },

    close() {
      const session = current
      current = undefined
      if (session === undefined || session.destroyed) return Promise.resolve()
      return new Promise((resolve) => {
        const impatient = setTimeout(() => session.destroy(), CALL_MS)
        session.once('close', () => {
          clearTimeout(impatient)
          resolve()
        })
        session.close()
      })
    },
  }
}

/** Ends a connection whose other side does not answer. */
function ping(session: ClientHttp2Session): void {
  if (session.closed || session.destroyed || session.connecting) return
  const waiting = setTimeout(() => session.destroy(), PONG_MS)
  waiting.unref()
  session.ping(() => clearTimeout(waiting))
}

function answerOf(stream: ClientHttp2Stream): Promise<ProviderAnswer> {
  return new Promise((resolve, reject) => {
    let headers: IncomingHttpHeaders & IncomingHttpStatusHeader = {}
    let size = 0
    const chunks: Buffer[] = []
    stream.once('response', (received) => {
      headers = received
    })
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > MAX_ANSWER_BYTES) stream.destroy(new Error('the answer is too large'))
    })
    stream.on('error', reject)
    stream.once('close', () => {
      const status = headers[':status']
      if (status === undefined || !stream.readableEnded) reject(new Error('no answer'))
      else resolve({ status, headers, json: parseJson(Buffer.concat(chunks).toString()) })
    })
  })
}
