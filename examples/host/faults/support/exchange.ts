import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { DOMAIN } from './owner.ts'

export interface Exchanged {
  /** A status, or the code of a socket's error. */
  readonly result: number | string
  readonly text: string
}

export interface Exchange {
  readonly agent: Agent
  readonly port: number
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

/** Sends a request for the instance; what became of it is answered, whatever it was. */
export function exchange(what: Exchange): Promise<Exchanged> {
  const { agent, port, method, path, body } = what
  return new Promise((resolve) => {
    const headers = {
      host: DOMAIN,
      ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
      ...what.headers,
    }
    const options = { host: '127.0.0.1', port, agent, method, path, headers, timeout: 30_000 }
    const sent = request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.once('end', () => resolve({ result: answer.statusCode ?? 0, text }))
      answer.once('error', (error) => resolve({ result: error.message, text }))
    })
    sent.once('timeout', () => sent.destroy(new Error('no answer in 30 s')))
    sent.once('error', (error) => resolve({ result: error.message, text: '' }))
    sent.end(body)
  })
}

/**
 * Connections that are kept. An idle one is given up after 4 s, as the shipped proxies do: the server ends it after 8 s,
 * and a request that is sent at that moment would be lost.
 */
export function keptConnections(): Agent {
  return new Agent({ keepAlive: true, timeout: 4000 })
}
