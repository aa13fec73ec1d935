import { expect } from 'chai'
import { legacy, mcpServer, modern } from '../support/mcp-server.ts'

const MANY = { limit: 1_000_000, windowMs: 60_000 }
/** A long run is asked for: `SVC_FUZZ_RUNS=100000`. */
const BODIES = Number(process.env['SVC_FUZZ_RUNS'] ?? 3000)
const AT_A_TIME = 16

/** The same numbers in every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  '\u0000',
  '__proto__',
  'io.svc.notes',
  'io.svc.notes/one',
  '../..',
  '2026-07-28',
  'x'.repeat(5000),
  '\uD800',
  [],
  {},
  [[[[[[]]]]]],
  { constructor: { prototype: {} } },
  { toString: 1 },
]

const STARTS: readonly object[] = [
  modern('tools/call', { name: 'fetch', arguments: { id: 'io.svc.notes/one' } }),
  modern('tools/call', { name: 'search', arguments: { query: 'x' } }),
  modern('tools/call', {
    name: 'create',
    arguments: { kind: 'io.svc.notes', fields: {}, key: 'k' },
  }),
  modern('tools/call', {
    name: 'update',
    arguments: { id: 'io.svc.notes/one', revision: '1', fields: { title: 'x' } },
  }),
  modern('tools/call', { name: 'delete', arguments: { id: 'io.svc.notes/one', revision: '1' } }),
  modern('tools/list'),
  modern('server/discover'),
  legacy('tools/call', { name: 'list', arguments: { kind: 'io.svc.notes' } }),
  legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }),
  legacy('notifications/initialized'),
  legacy('ping'),
]

describe('any body', () => {
  it('is answered, never by a fault of the server, and writes nothing', async () => {
    const limits = { address: MANY, documents: MANY, hour: MANY, minute: MANY, writes: MANY }
    const server = await mcpServer({ mcp: { limits } })
    await server.documents.add(server.instance, 'io.svc.notes', 'one', 'Title', 'Text')
    const token = await server.connect('io.svc.notes:GET')
    const random = numbers(15)
    const pick = <Value>(values: readonly Value[]): Value =>
      values[Math.floor(random() * values.length)] as Value

    /** One member somewhere is another value, or gone. */
    function mutate(value: unknown): unknown {
      if (random() < 0.15 || typeof value !== 'object' || value === null) return pick(VALUES)
      const members = Object.entries(value)
      const at = Math.floor(random() * (members.length + 1))
      if (at === members.length)
        return { ...value, [pick(['x', 'id', 'method', 'params'])]: pick(VALUES) }
      if (random() < 0.2) return Object.fromEntries(members.filter((_, n) => n !== at))
      return Object.fromEntries(
        members.map(([name, member], n) => [name, n === at ? mutate(member) : member]),
      )
    }

    function body(): string {
      const json = JSON.stringify(mutate(pick(STARTS)))
      const kind = random()
      if (kind < 0.8) return json
      if (kind < 0.9) return json.slice(0, Math.floor(random() * json.length))
      return Array.from({ length: 40 }, () =>
        String.fromCodePoint(Math.floor(random() * 0xd7_ff)),
      ).join('')
    }

    async function send(): Promise<number> {
      const headers = {
        ...(random() < 0.5 && { 'mcp-protocol-version': pick(['2026-07-28', '2025-11-25', 'x']) }),
        ...(random() < 0.5 && { 'mcp-method': pick(['tools/call', 'tools/list', 'x']) }),
        ...(random() < 0.5 && { 'mcp-name': pick(['fetch', 'search', 'x']) }),
      }
      const { status } = await server.message(token, body(), headers)
      return status
    }

    const statuses = new Map<number, number>()
    await Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        for (let sent = 0; sent < BODIES / AT_A_TIME; sent += 1) {
          const status = await send()
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
        }
      }),
    )
    const seen = [...statuses.keys()].toSorted((one, other) => one - other)
    expect(seen.filter((status) => ![200, 202, 400, 403, 404].includes(status))).to.deep.equal([])
    expect(seen).to.include.members([200, 202, 400])
    const stored = await server.documents.all(server.instance, 'io.svc.notes')
    expect(stored.map(({ id, text }) => [id, text])).to.deep.equal([['one', 'Text']])
    const calls = await server.entries()
    expect(calls.filter(({ writes }) => writes !== undefined)).to.deep.equal([])
    expect(server.logged.filter((line) => line.includes('protocol_failed'))).to.deep.equal([])
  }).timeout(Math.max(60_000, BODIES * 20))
})
