import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A DNS server on loopback that knows what it is told. */
export interface DnsServer {
  /** As `Resolver.setServers` takes it. */
  readonly address: string
  close(): Promise<void>
}

const TYPES = { a: 1, txt: 16 } as const
const NO_SUCH_NAME = 3

/** @param records - by name; a name of `*.example.org` answers for every name below. */
export async function startDnsServer(
  records: Readonly<Record<string, { readonly a?: string; readonly txt?: readonly string[] }>>,
): Promise<DnsServer> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, end, type } = readQuestion(query)
    const wildcard = `*.${name.split('.').slice(1).join('.')}`
    const found = records[name] ?? records[wildcard]
    const answers: Buffer[] = []
    if (type === TYPES.a && found?.a !== undefined) {
      answers.push(Buffer.from(found.a.split('.').map(Number)))
    }
    if (type === TYPES.txt) answers.push(...(found?.txt ?? []).map(toText))
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180 | (found === undefined ? NO_SUCH_NAME : 0), 2)
    header.writeUInt16BE(answers.length, 6)
    header.fill(0, 8)
    const body = answers.map((data) => toRecord(type, data))
    socket.send(Buffer.concat([header, query.subarray(12, end), ...body]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5, type: query.readUInt16BE(at + 1) }
}

/** Texts have parts of 255 bytes at most. */
function toText(text: string): Buffer {
  const parts = text.match(/.{1,255}/g) ?? []
  return Buffer.concat(
    parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])),
  )
}

function toRecord(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0) // The name of the question.
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
