/**
 * Notes every answer of the HTTP servers of this process: method, path, status, headers, body, one JSON line each. Loaded
 * by processes that run recorded test files, and by the servers that those start (`--import`).
 */
import { appendFileSync } from 'node:fs'
import { type IncomingMessage, type OutgoingMessage, ServerResponse } from 'node:http'

/** One answer as it was sent. */
export interface RawAnswer {
  readonly method: string
  readonly url: string
  readonly status: number
  /** Status line and header lines. */
  readonly head: string
  readonly body: string
}

type Args = readonly [chunk?: unknown, encoding?: unknown, ...rest: unknown[]]
/** A response after its end: Node keeps the head that was sent. */
type Sent = ServerResponse<IncomingMessage> & { readonly _header?: string | null }

const isOnRedis = process.env['SVC_STORE']?.startsWith('redis') ?? false
const original = { write: ServerResponse.prototype.write, end: ServerResponse.prototype.end }

const ownOptions = process.env['NODE_OPTIONS']

/** @param target - start of the name of the file that the answers are appended to */
export function startRecording(target: string): void {
  const file = `${target}${isOnRedis ? '.redis' : ''}-${process.pid}.jsonl`
  const bodies = new WeakMap<OutgoingMessage, Buffer[]>()
  const note = (response: OutgoingMessage, [chunk, encoding]: Args): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const chunks = bodies.get(response) ?? []
    bodies.set(response, chunks)
    const charset = Buffer.isEncoding(String(encoding)) ? (encoding as BufferEncoding) : 'utf8'
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, charset) : Buffer.from(chunk))
  }
  const replaced = {
    write(this: Sent, ...args: Args) {
      note(this, args)
      return Reflect.apply(original.write, this, args) as boolean
    },
    end(this: Sent, ...args: Args) {
      const isFirst = !this.writableEnded
      if (isFirst) note(this, args)
      const result = Reflect.apply(original.end, this, args) as ServerResponse
      const { method = '', url = '' } = this.req
      if (isFirst) {
        const body = Buffer.concat(bodies.get(this) ?? []).toString('utf8')
        const answer = { method, url, status: this.statusCode, head: this._header ?? '', body }
        appendFileSync(file, `${JSON.stringify(answer satisfies RawAnswer)}\n`)
      }
      return result
    },
  }
  Object.assign(ServerResponse.prototype, replaced)
  if (process.env['RECORD_ANSWERS'] === target) return
  // For servers that this process starts.
  process.env['RECORD_ANSWERS'] = target
  process.env['NODE_OPTIONS'] = `${ownOptions ?? ''} --import=${import.meta.url}`.trim()
}

export function stopRecording(): void {
  Object.assign(ServerResponse.prototype, original)
  delete process.env['RECORD_ANSWERS']
  if (ownOptions === undefined) delete process.env['NODE_OPTIONS']
  else process.env['NODE_OPTIONS'] = ownOptions
}

// In a server that a recorded test started.
if (process.env['RECORD_ANSWERS'] !== undefined) startRecording(process.env['RECORD_ANSWERS'])
