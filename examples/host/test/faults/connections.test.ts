import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { needsLoopbackAddresses } from '@svc/testkit'
import { expect } from 'chai'
import { type HostileClient, openHostile } from '../support/hostile-client.ts'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const HOST = 'Host: alice.localhost\r\n'
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n'
const PAGE = `GET /auth/login HTTP/1.1\r\n${HOST}\r\n`
/** Of each kind. */
const COUNT = 40
const ADDRESSES = 20

/** What a client sends that is up to no good. */
const KINDS: Readonly<Record<string, string>> = {
  silent: '',
  'half a header': `GET / HTTP/1.1\r\n${HOST}`,
  'half a body': `POST /auth/login HTTP/1.1\r\n${HOST}${FORM}Content-Length: 10\r\n\r\nhalf`,
  idle: `GET /health/live HTTP/1.1\r\n${HOST}\r\n`,
  malformed: 'hello\r\n\r\n',
  'unread answers': PAGE.repeat(16),
  'a flood': PAGE.repeat(200),
}

describe('clients that are up to no good', function () {
  this.timeout(180_000)
  let host: HostProcess | undefined
  const hostile: HostileClient[] = []

  before(function () {
    needsLoopbackAddresses(this)
  })
  afterEach(async () => {
    for (const { socket } of hostile.splice(0)) socket.destroy()
    await host?.stop('SIGKILL')
    host = undefined
  })

  async function start(env: Record<string, string> = {}): Promise<HostProcess> {
    host = await spawnHost({ env: { SVC_DEMO_DOMAIN: 'alice.localhost', ...env } })
    return host
  }

  async function attack(port: number, text: string, count: number, addresses: number) {
    const opened = Array.from({ length: count }, async (_, at) => {
      const client = await openHostile(port, text, `127.0.0.${(at % addresses) + 1}`)
      client.socket.pause()
      return client
    })
    hostile.push(...(await Promise.all(opened)))
  }

  /** Open connections of both listeners, and requests that handlers were told of. */
  async function figures({ adminPort, dataDir }: HostProcess) {
    const token = readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim()
    const answer = await fetch(`http://127.0.0.1:${adminPort}/metrics`, {
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
    })
    const sum = (name: string, text: string): number =>
      [...text.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\d+)$`, 'gm'))].reduce(
        (total, [, count]) => total + Number(count),
        0,
      )
    const text = await answer.text()
    return {
      // Without the one that asks.
      open: sum('svc_connections', text) - 1,
      handled: sum('svc_http_request_seconds_count', text),
      refused: sum('svc_connections_refused_total', text),
    }
  }

  /** @returns the status that somebody from elsewhere gets */
  async function visit(port: number, address: string): Promise<string> {
    const text = `GET /auth/login HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`
    const visitor = await openHostile(port, text, address)
    if (!visitor.socket.readableEnded) await once(visitor.socket, 'end')
    visitor.socket.destroy()
    return visitor.said().slice(0, 12)
  }

  it('are all gone in time though they never leave, and others are served meanwhile', async () => {
    const process = await start({ SVC_LIMITS_REQUESTS_PER_MINUTE: '0' })
    const { port } = process
    const before = await figures(process)
    const startedAt = performance.now()
    for (const text of Object.values(KINDS)) await attack(port, text, COUNT, ADDRESSES)
    const answers: string[] = []
    for (;;) {
      answers.push(await visit(port, '127.0.0.200'))
      if ((await figures(process)).open <= 0) break
      // The last limit is 30 s for a request with its body; the rest is for a machine that has other work.
      const goneMs = performance.now() - startedAt
      expect(goneMs, 'milliseconds until all are gone').to.be.lessThan(90_000)
      await pause(500)
    }
    expect(new Set(answers)).to.deep.equal(new Set(['HTTP/1.1 200']))
    const after = await figures(process)
    // Of the flood nothing was handled, of the others all that was complete.
    const handled = after.handled - before.handled - answers.length
    expect(handled).to.equal(COUNT + COUNT + COUNT * 16)
    // Those who were idle or took their answers late just ended.
    expect(after.refused - before.refused).to.be.at.least(COUNT * 5)
    expect(process.log.filter(({ level }) => level === 'error')).to.deep.equal([])
  })

  it('of one address leave room for others: 200 silent ones beside 50 connections', async () => {
    const { port } = await start({ SVC_LIMITS_CONNECTIONS: '50' })
    await attack(port, '', 200, 1)
    const answers: string[] = []
    for (let address = 2; address <= 30; address += 1) {
      answers.push(await visit(port, `127.0.0.${address}`))
    }
    expect(new Set(answers)).to.deep.equal(new Set(['HTTP/1.1 200']))
  })
})
