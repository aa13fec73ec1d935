import { randomBytes } from 'node:crypto'
import net from 'node:net'

export type RawSocket = Awaited<ReturnType<typeof rawSocket>>

/** A TCP connection that speaks websocket byte by byte, what no library would send, once a handshake was answered. */
export async function rawSocket(
  port: number,
  options: {
    readonly path?: string
    readonly headers?: readonly string[]
    /** Sent in the same packet. */
    readonly trailing?: Uint8Array
  } = {},
) {
  const { path = '/realtime/', headers = upgradeHeaders(), trailing = Buffer.alloc(0) } = options
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const chunks: Buffer[] = []
  let headEnd = -1
  const rest = new Promise<Buffer>((resolve) => {
    socket.once('close', () => resolve(Buffer.concat(chunks).subarray(headEnd + 4)))
  })
  const answered = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      headEnd = headEnd === -1 ? Buffer.concat(chunks).indexOf('\r\n\r\n') : headEnd
      if (headEnd === -1) return
      resolve()
      // As clients do, so that nobody waits.
      const isClosing = closeCode(Buffer.concat(chunks).subarray(headEnd + 4)) !== undefined
      if (isClosing) socket.end(frame(8, Buffer.from([3, 232])))
    })
    socket.once('close', () => reject(new Error('the connection ended without an answer')))
  })
  const request = `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`
  socket.write(Buffer.concat([Buffer.from(request), trailing]))
  await answered
  const head = Buffer.concat(chunks).subarray(0, headEnd).toString()
  return {
    socket,
    write: (bytes: Uint8Array | string) => void socket.write(bytes),
    /** The status line of the answer. */
    status: head.split('\r\n', 1)[0] ?? '',
    head,
    /** Everything after the head that came before the connection ended. */
    rest,
  }
}

export function upgradeHeaders(...changes: readonly string[]): readonly string[] {
  const headers = new Map([
    ['host', 'Host: alice.example.com'],
    ['connection', 'Connection: Upgrade'],
    ['upgrade', 'Upgrade: websocket'],
    ['sec-websocket-key', `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`],
    ['sec-websocket-version', 'Sec-WebSocket-Version: 13'],
  ])
  for (const change of changes) headers.set(change.split(':', 1)[0]?.toLowerCase() ?? '', change)
  return [...headers.values()]
}

/** A frame as a client sends it. @param options.masked - as RFC 6455 demands; the mask is zero */
export function frame(
  opcode: number,
  payload: Uint8Array,
  options: { readonly masked?: boolean; readonly final?: boolean } = {},
): Buffer {
  const { masked = true, final = true } = options
  const length =
    payload.length < 126 ? [payload.length] : [126, payload.length >> 8, payload.length & 255]
  const [first = 0, ...others] = length
  const head = [(final ? 0x80 : 0) | opcode, (masked ? 0x80 : 0) | first, ...others]
  return Buffer.concat([Buffer.from(head), Buffer.alloc(masked ? 4 : 0), payload])
}

/** The code of the close frame at the end of what a server sent. */
export function closeCode(rest: Buffer): number | undefined {
  for (let at = 0; at + 2 <= rest.length; ) {
    const opcode = (rest[at] ?? 0) & 0x0f
    let length = (rest[at + 1] ?? 0) & 0x7f
    let start = at + 2
    if (length === 126) {
      length = rest.readUInt16BE(start)
      start += 2
    }
    if (opcode === 8) return length >= 2 ? rest.readUInt16BE(start) : 1005
    at = start + length
  }
  return undefined
}
