import http from 'node:http'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startRedisServer } from '@svc/store/testing'
import { needsRedis, relyingParty, requestLoopback } from '@svc/testkit'
import { expect } from 'chai'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const DOMAIN = 'alice.example.com'
/** Requests a second. */
const RATE = 50
const SECONDS = 3

/** @see operation.md 3.11 */
describe('rotations of signing keys in one of two processes', function () {
  this.timeout(60_000)

  it('fail no verification in the other one', async function () {
    needsRedis(this)
    const redis = await startRedisServer()
    const env = {
      SVC_STORE: redis.url,
      SVC_DEMO: 'off',
      SVC_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      SVC_ADMIN_TOKEN: 'test-admin-token-0123456789abcdef-0123',
      SVC_LIMITS_TOKEN: '100000',
    }
    const hosts: HostProcess[] = []
    try {
      hosts.push(await spawnHost({ env }), await spawnHost({ env }))
      await rotateUnderLoad(hosts)
    } finally {
      for (const host of hosts) await host.stop()
      await redis.stop()
    }
  })

  async function rotateUnderLoad(hosts: readonly HostProcess[]): Promise<void> {
    const at = (turn: number): HostProcess => hosts[turn % hosts.length] as HostProcess
    const admin = async (host: HostProcess, path: string, body: object) => {
      const answer = await fetch(`http://127.0.0.1:${host.adminPort}${path}`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer test-admin-token-0123456789abcdef-0123',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      })
      expect(answer.ok, await answer.clone().text()).to.equal(true)
      return answer
    }
    await admin(at(0), '/instances', { domain: DOMAIN })
    const party = relyingParty({ issuer: `https://${DOMAIN}`, port: at(0).port })
    const { client_id } = await party.register()
    const path = `/instances/${DOMAIN}/clients/${String(client_id)}/tokens`
    const agent = new http.Agent({ keepAlive: true })
    const statuses = new Map<number, number>()
    const kids = new Set<string>()
    let isOver = false

    /** A token that one process signs is used in the other at once. */
    async function use(turn: number): Promise<void> {
      const answer = await admin(at(turn), path, { scope: 'io.svc.notes' })
      const { access_token: token } = (await answer.json()) as { access_token: string }
      const [head = ''] = token.split('.')
      kids.add((JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }).kid)
      const { status } = await requestLoopback({ port: at(turn + 1).port }, agent, {
        method: 'GET',
        url: new URL(`https://${DOMAIN}/data/io.svc.notes`),
        headers: { authorization: `Bearer ${token}` },
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    async function rotate(): Promise<void> {
      for (let turn = 0; !isOver; turn += 1) {
        await admin(at(turn), `/instances/${DOMAIN}/rotate-keys`, {})
        await sleep(100)
      }
    }
    const rotating = rotate()
    const running: Promise<void>[] = []
    for (let turn = 0; turn < RATE * SECONDS; turn += 1) {
      running.push(use(turn))
      await sleep(1000 / RATE)
    }
    await Promise.all(running)
    isOver = true
    await rotating
    agent.destroy()
    expect(Object.fromEntries(statuses)).to.deep.equal({ 200: RATE * SECONDS })
    expect(kids.size, 'keys that signed').to.be.greaterThan(3)
  }
})
