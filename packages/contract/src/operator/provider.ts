import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Answer, Exchange, Header } from '../model/exchange.ts'

/** A provider of accounts that runs as long as the run, and keeps what the server asks of it. */
export interface FakeProvider {
  /** As the server reaches it. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  close(): Promise<void>
}

export interface FakeProviderOptions {
  /** `address:port` */
  readonly listen: string
  readonly url?: string
  /** Keeps what was asked and answered. */
  readonly record: (exchange: Exchange) => void
}

/** A code for which the provider answers that it is wrong. */
export const REFUSED_CODE = 'code-that-the-provider-refuses'

const LIFETIME_S = 3600

/** Starts a provider: every code is good but one. */
export async function startProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  const [, address = '127.0.0.1', port = '0'] = /^(.*):(\d+)$/.exec(options.listen) ?? []
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
        const answer = answerTo(path, body)
        const label = `con.provider${path.replaceAll('/', '.')}`
        const count = (counts.get(label) ?? 0) + 1
        counts.set(label, count)
        options.record(recorded(count === 1 ? label : `${label}#${count}`, request, body, answer))
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.end(answer.body)
      },
      () => response.destroy(),
    )
  })
  server.listen(Number(port), address.replace(/^\[|\]$/g, ''))
  await once(server, 'listening')
  return {
    url: options.url ?? `http://${address}:${portOf(server)}`,
    clientId: `contract-${randomBytes(4).toString('hex')}`,
    clientSecret: randomBytes(24).toString('base64url'),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answerTo(path: string, body: string): Answer {
  const form = new URLSearchParams(body)
  if (path !== '/token') return answerWith(path === '/revoke' ? 200 : 404, {})
  if (form.get('code') === REFUSED_CODE) return answerWith(400, { error: 'invalid_grant' })
  return answerWith(200, {
    access_token: `provided-${randomBytes(16).toString('base64url')}`,
    refresh_token: `renewing-${randomBytes(16).toString('base64url')}`,
    token_type: 'Bearer',
    expires_in: LIFETIME_S,
  })
}

function answerWith(status: number, body: object): Answer {
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      ['Cache-Control', 'no-store'],
    ],
    body: JSON.stringify(body),
  }
}

function recorded(
  label: string,
  { method = 'GET', url = '/', headers, rawHeaders }: IncomingMessage,
  body: string,
  answer: Answer,
): Exchange {
  const sent: Header[] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    sent.push([rawHeaders[at] ?? '', rawHeaders[at + 1] ?? ''])
  }
  const request = { method, url: `http://${headers.host ?? ''}${url}`, headers: sent, body }
  return { label, at: 0, ms: 0, by: 'provider', request, answer }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding was set
  return Buffer.concat(chunks).toString()
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port // it listens on an address
}
