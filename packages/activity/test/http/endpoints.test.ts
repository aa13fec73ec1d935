import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sqliteStore } from '@svc/store/sqlite'
import { afterTest, fakeClock, recordStatuses } from '@svc/testkit'
import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { verifyFile } from '../../src/index.ts'
import { type ActivityServer, CONFIRMED, startActivity } from '../support/activity-server.ts'

const LIST = '/settings/activity'
const VERIFY = '/settings/activity/verify'
const EXPORT = '/settings/activity/export'
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const MINUTE = 60_000

interface Listed {
  readonly data: readonly {
    readonly id: string
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
  readonly links: { readonly next?: string }
}

describe('the endpoints of the record', () => {
  const clock = fakeClock()
  const statuses = recordStatuses()
  let server: ActivityServer
  let folder: string

  beforeEach(async () => {
    const store = sqliteStore({ file: ':memory:', clock })
    server = await startActivity({ store, clock, statuses })
    folder = await mkdtemp(path.join(tmpdir(), 'svc-activity-'))
    afterTest(async () => {
      await server.close()
      await store.close()
      await rm(folder, { recursive: true })
    })
  })

  after(() => {
    expect(statuses.undeclared()).to.deep.equal([])
    expect(statuses.missing(server.activity.rows)).to.deep.equal([])
  })

  async function list(query = ''): Promise<Listed> {
    const response = await server.call('GET', LIST + query)
    expect(response.status).to.equal(200)
    return (await response.json()) as Listed
  }

  const events = ({ data }: Listed) => data.map(({ attributes }) => attributes['event'])

  it('list what happened a moment ago, newest first', async () => {
    await server.act({ event: 'hint.changed' })
    await server.act({ event: 'consent.given', detail: { scope: 'io.svc.files' } })
    const listed = await list()
    expect(events(listed)).to.deep.equal(['consent.given', 'hint.changed', 'record.started'])
    expect(listed.data[0]?.attributes['rights']).to.deep.equal(['words of io.svc.files'])
  })

  it('list what a client used by the names of its kinds', async () => {
    const reads = { 'io.svc.contacts': 1, 'io.svc.files': 4, other: 2 }
    const detail = { day: '2026-01-10', reads, changes: { 'io.svc.files': 3 }, refreshes: 1 }
    const actor = { kind: 'client', id: 'drive', name: 'Drive' } as const
    await server.act({ event: 'client.used', actor, detail })
    expect((await list()).data[0]?.attributes['uses']).to.deep.equal([
      { what: 'reads', kind: 'words of io.svc.files', count: 4 },
      { what: 'reads', count: 2 },
      { what: 'reads', kind: 'words of io.svc.contacts', count: 1 },
      { what: 'changes', kind: 'words of io.svc.files', count: 3 },
    ])
  })

  it('list pages that follow each other', async () => {
    for (let at = 0; at < 5; at += 1) await server.act()
    const first = await list('?page[limit]=4')
    expect(first.data.map(({ id }) => id)).to.deep.equal(['6', '5', '4', '3'])
    const rest = await server.call('GET', first.links.next ?? '')
    expect(((await rest.json()) as Listed).data.map(({ id }) => id)).to.deep.equal(['2', '1'])
  })

  it('list what a filter asks for', async () => {
    await server.act({ event: 'logout' })
    await server.act({ event: 'login.failed', actor: { kind: 'unknown' }, outcome: 'refused' })
    clock.advance(10 * MINUTE)
    const then = new Date(clock.now()).toISOString()
    await server.act({
      event: 'client.changed',
      actor: { kind: 'client', id: 'c1', name: 'Drive' },
    })
    expect(events(await list('?filter[group]=login'))).to.deep.equal(['login.failed', 'logout'])
    expect(events(await list('?filter[outcome]=refused'))).to.deep.equal(['login.failed'])
    expect(events(await list('?filter[actor]=client:c1'))).to.deep.equal(['client.changed'])
    expect(events(await list(`?filter[from]=${then}`))).to.deep.equal(['client.changed'])
    expect(events(await list(`?filter[to]=${then}&filter[group]=login`))).to.deep.equal([
      'login.failed',
      'logout',
    ])
  })

  it('refuse malformed filters', async () => {
    for (const query of [
      'filter[group]=none',
      'filter[outcome]=maybe',
      'filter[actor]=A',
      'filter[from]=yesterday',
      'filter[to]=2026-13-40T00:00Z',
      'page[limit]=0',
      'page[limit]=101',
      'page[cursor]=%20',
    ]) {
      expect((await server.call('GET', `${LIST}?${query}`)).status, query).to.equal(400)
    }
    expect((await server.call('GET', `${LIST}/head?x=%ff`)).status).to.equal(400)
    expect((await server.call('POST', `${VERIFY}?x=%ff`)).status).to.equal(400)
  })

  it('are for the settings app alone', async () => {
    for (const [method, address] of [
      ['GET', LIST],
      ['GET', `${LIST}/head`],
      ['POST', VERIFY],
      ['POST', EXPORT],
    ] as const) {
      expect((await server.call(method, address, { token: '' })).status).to.equal(401)
      expect((await server.call(method, address, { token: 'other' })).status).to.equal(403)
    }
  })

  it('verify once a minute, and remember what they found', async () => {
    await server.act()
    expect((await server.call('POST', VERIFY)).status).to.equal(200)
    const second = await server.call('POST', VERIFY)
    expect(second.status).to.equal(429)
    expect(Number(second.headers.get('Retry-After'))).to.be.within(1, 60)
    const response = await server.call('GET', `${LIST}/head`)
    const { data } = (await response.json()) as { data: { attributes: Record<string, unknown> } }
    expect(data.attributes).to.include({ seq: 2, verified_seq: 2, unbroken: true, count: 2 })
    expect(data.attributes['hash']).to.match(/^[0-9a-f]{64}$/)
  })

  it('export only after a confirmation, three times an hour', async () => {
    for (const [given, status] of [
      [{ body: { confirmation_code: 'bad', confirmation_state: 'state' } }, 403],
      [{ body: {} }, 403],
      [{ text: '{' }, 400],
      [{ text: 'a', type: 'text/plain' }, 415],
      [{ text: `"${'a'.repeat(70_000)}"` }, 413],
    ] as const) {
      expect((await server.call('POST', EXPORT, given)).status).to.equal(status)
    }
    clock.advance(61 * MINUTE)
    for (let at = 0; at < 3; at += 1) {
      expect((await server.call('POST', EXPORT, { body: CONFIRMED })).status).to.equal(200)
    }
    expect((await server.call('POST', EXPORT, { body: CONFIRMED })).status).to.equal(429)
  })

  async function exported(name: string): Promise<string> {
    const response = await server.call('POST', EXPORT, { body: CONFIRMED })
    expect(response.status).to.equal(200)
    expect(response.headers.get('Content-Type')).to.match(/^application\/jsonl/)
    expect(response.headers.get('Content-Disposition')).to.equal(
      'attachment; filename="activity-alice.localhost.jsonl"',
    )
    const file = path.join(folder, name)
    await writeFile(file, await response.text())
    return file
  }

  it('export what is verified without a server', async () => {
    for (let at = 0; at < 120; at += 1) await server.act()
    const older = await exported('older.jsonl')
    await server.act()
    const file = await exported('newer.jsonl')
    const found = await verifyFile(file)
    expect(found).to.include({ domain: 'alice.localhost', count: 124 })
    expect(found.fault).to.equal(undefined)
    const run = (...given: readonly string[]) =>
      spawnSync(process.execPath, ['--conditions=source', CLI, ...given], { encoding: 'utf8' })
    const held = await verifyFile(older)
    const head = `${held.head?.seq}:${held.head?.hash}`
    const good = run('verify', file, '--previous', older, '--head', head)
    expect(good.stdout).to.match(/124 entries.*\n.*\nintact\n$/)
    expect(good.status).to.equal(0)
    const bad = run('verify', file, '--head', `5:${'0'.repeat(64)}`)
    expect(bad.stdout).to.match(/BROKEN: entry 5 is another one than you hold/)
    expect(bad.status).to.equal(1)
    expect(run('verify', path.join(folder, 'none')).status).to.equal(2)
    expect(run('verify').status).to.equal(2)
  }).timeout(20_000)

  it('say where an export was changed', async () => {
    for (let at = 0; at < 5; at += 1) await server.act()
    const file = await exported('whole.jsonl')
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const cases = [
      [lines.with(4, (lines[4] ?? '').replace('hint.changed', 'logout')), 'changed', 4],
      [lines.toSpliced(4, 1), 'missing', 4],
      [lines.toSpliced(3, 2, lines[4] ?? '', lines[3] ?? ''), 'missing', 3],
      [lines.toSpliced(-2, 1), 'head', 7],
    ] as const
    for (const [changed, reason, seq] of cases) {
      const other = path.join(folder, 'other.jsonl')
      await writeFile(other, `${changed.join('\n')}\n`)
      expect((await verifyFile(other)).fault).to.deep.equal({ seq, reason })
    }
  })
})
