import type Http from 'node:http'
import https from 'node:https'
import { connect } from 'node:tls'
import { hostName } from '@svc/platform'
import { isLocalhost } from '../config/own-names.ts'
import type { Names } from './names.ts'

// An import would load Node's client for `fetch` with it, 13 MiB that a server may never use (0437).
const http: typeof Http = process.getBuiltinModule('node:http')

/** How a browser elsewhere would get to an instance. */
export interface OutsideClient {
  /** @throws Error in words when there is no answer */
  get(base: Base, path: string, headers?: Readonly<Record<string, string>>): Promise<OutsideAnswer>
  /** Asks for a websocket. @returns the status; 101 when it was opened @throws Error in words */
  upgrade(base: Base, path: string): Promise<number>
  /** A handshake that refuses nothing, so that what is wrong can be told. @throws Error in words */
  handshake(base: Base): Promise<Handshake>
}

/** Where a browser goes: a host with the port that is not the default of the scheme. */
export interface Base {
  readonly host: string
  readonly isHttps: boolean
}

export interface OutsideAnswer {
  readonly status: number
  readonly body: string
  /** Our own end of the connection. */
  readonly localAddress: string
}

export interface Handshake {
  /** Why a browser would refuse it. */
  readonly problem?: string
  /** When the certificate ends, milliseconds since the epoch. */
  readonly endsAt: number
}

export interface OutsideOptions {
  readonly names: Names
  /** PEM of an authority that browsers are told of besides. */
  readonly ca?: string
}

const TIMEOUT_MS = 10_000
const MAX_BODY = 65_536

export function createOutsideClient({ names, ca }: OutsideOptions): OutsideClient {
  async function placeOf({ host, isHttps }: Base) {
    const name = hostName(host)
    const port = Number(/:(\d+)$/.exec(host)?.[1] ?? (isHttps ? 443 : 80))
    const own = isLocalhost(name) ? '127.0.0.1' : undefined
    const address = names.given(name, port) ?? own ?? (await names.addresses(name))[0]
    if (address === undefined) throw new Error(`${name} does not resolve`)
    return { host: address, port, servername: name }
  }

  async function open(base: Base, path: string, headers: Readonly<Record<string, string>>) {
    const place = await placeOf(base)
    const options = {
      ...place,
      path,
      headers: { Host: base.host, ...headers },
      agent: false,
      timeout: TIMEOUT_MS,
    }
    const request = base.isHttps
      ? https.request({ ...options, ...(ca !== undefined && { ca }) })
      : http.request(options)
    request.on('timeout', () => request.destroy(new Error('there is no answer within 10 s')))
    return request
  }

  return {
    async get(base, path, headers = {}) {
      const request = await open(base, path, headers)
      return new Promise((resolve, reject) => {
        request.on('error', reject)
        request.on('response', (response) => {
          const localAddress = response.socket.localAddress ?? ''
          let body = ''
          response.setEncoding('utf8').on('data', (part: string) => {
            if (body.length < MAX_BODY) body += part
          })
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body, localAddress }),
          )
          response.on('error', reject)
        })
        request.end()
      })
    },
    async upgrade(base, path) {
      const request = await open(base, path, {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        Origin: `${base.isHttps ? 'https' : 'http'}://${base.host}`,
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': Buffer.alloc(16, 1).toString('base64'),
      })
      return new Promise((resolve, reject) => {
        request.on('error', reject)
        request.on('upgrade', (response, socket) => {
          socket.destroy()
          resolve(response.statusCode ?? 101)
        })
        request.on('response', (response) => {
          response.destroy()
          resolve(response.statusCode ?? 0)
        })
        request.end()
      })
    },
    async handshake(base) {
      const place = await placeOf(base)
      return new Promise((resolve, reject) => {
        const socket = connect({
          ...place,
          rejectUnauthorized: false,
          timeout: TIMEOUT_MS,
          ...(ca !== undefined && { ca }),
        })
        socket.on('timeout', () => socket.destroy(new Error('there is no answer within 10 s')))
        socket.on('error', reject)
        socket.on('secureConnect', () => {
          const { authorized, authorizationError } = socket
          const endsAt = Date.parse(socket.getPeerCertificate().valid_to)
          socket.destroy()
          resolve({ endsAt, ...(!authorized && { problem: String(authorizationError) }) })
        })
      })
    },
  }
}
