import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type http from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { compactVerify, decodeProtectedHeader } from 'jose'
import { reply, type Scripted } from './fcm-server.ts'
import type { TestCertificates } from './certificates.ts'

interface ReceivedPush {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  /** Bytes on the wire. */
  readonly size: number
  /** As the browser decrypts it with the keys of its subscription. @see RFC 8291 */
  readonly plaintext: string
  /** Claims of the proof of who sent it, verified with the key beside it. @see RFC 8292 */
  readonly vapid: {
    readonly header: unknown
    readonly key: string
    readonly claims: Readonly<Record<string, unknown>>
  }
}

export type PushService = Awaited<ReturnType<typeof openPushService>>

/** A browser's push service over TLS, and the browser behind it. */
export async function openPushService({ cert, key }: TestCertificates) {
  const received: ReceivedPush[] = []
  /** Answers that come instead, first to last. */
  const answers: Scripted[] = []
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)

  const server = https.createServer({ cert, key }, (request, response) => {
    void readBytes(request).then(async (body) => {
      const { headers, url: path = '' } = request
      const plaintext = decrypt(body, browser, auth)
      const vapid = await verifyVapid(headers.authorization ?? '')
      received.push({ path, headers, size: body.length, plaintext, vapid })
      reply(response, answers.shift() ?? { status: 201 })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A TCP server's.
  const origin = `https://localhost:${port}`
  return {
    origin,
    received,
    answers,
    /** A device token: the subscription as JSON. */
    subscribe: (changes: Readonly<Record<string, unknown>> = {}) =>
      JSON.stringify({
        endpoint: `${origin}/send/1`,
        expirationTime: null,
        keys: {
          p256dh: browser.getPublicKey('base64url'),
          auth: auth.toString('base64url'),
        },
        ...changes,
      }),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** RFC 8291 3.4 and RFC 8188 2: one record. */
function decrypt(body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16)
  const recordSize = body.readUInt32BE(16)
  const idLength = body.readUInt8(20)
  const sender = body.subarray(21, 21 + idLength)
  const record = body.subarray(21 + idLength)
  if (record.length > recordSize) throw new Error('more than one record')
  const shared = browser.computeSecret(sender)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
  const secret = Buffer.from(hkdfSync('sha256', shared, auth, info, 32))
  const derive = (label: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, `Content-Encoding: ${label}\0`, length))
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end === -1) throw new Error('not the last record')
  return padded.subarray(0, end).toString()
}

async function verifyVapid(authorization: string): Promise<ReceivedPush['vapid']> {
  const { token = '', key = '' } =
    /^vapid t=(?<token>[\w.-]+), k=(?<key>[\w-]+)$/.exec(authorization)?.groups ?? {}
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.toString('base64url', 1, 33),
    y: point.toString('base64url', 33),
  }
  const verified = await compactVerify(token, createPublicKey({ key: jwk, format: 'jwk' }), {
    algorithms: ['ES256'],
  })
  const claims = JSON.parse(Buffer.from(verified.payload).toString()) as Record<string, unknown>
  return { header: decodeProtectedHeader(token), key, claims }
}

async function readBytes(request: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
