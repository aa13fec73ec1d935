import { randomBytes } from 'node:crypto'
import http from 'node:http'
import {
  createSealer,
  findRecords,
  openMember,
  type RecordKind,
  Reseal,
  sealedMembers,
  sealMember,
  toFound,
  withTexts,
} from '@svc/platform'
import { indexKey, type Json, recordKey, type Revision, type Store } from '@svc/store'
import { needsRedis, relyingParty, requestLoopback, until } from '@svc/testkit'
import { expect } from 'chai'
import { eachTestHost, testFolder, testRedis } from '../support/for-test.ts'
import { type HostProcess, runFaultyHost, spawnHost } from '../support/host-process.ts'

const SILENT = { info: () => {}, warn: () => {}, error: () => {} }
const keyText = (kid: string): string => `${kid}:${randomBytes(32).toString('base64')}`
const toKey = (text: string) => {
  const [kid = '', base64 = ''] = text.split(':')
  return { kid, key: Buffer.from(base64, 'base64') }
}

/** What the context of a sealed value reads of its record, beside the value itself. */
const OTHER_MEMBERS: Readonly<Record<string, Json>> = {
  'activity-head': { chain: 'c0ffee', seq: 7, hash: 'beef', time: 1 },
  'activity-segment': { chain: 'c0ffee', first: 1, last: 7, lastHash: 'beef', count: 7, time: 1 },
  document: { type: 'io.svc.accounts', id: 'one' },
  keys: { keys: [{ n: 7 }] },
  owner: { factors: { totp: { id: 'app' } } },
  'own-enrolment': { factor: { id: 'app' } },
  'totp-enrolment': { factor: { id: 'app' } },
}

describe('every kind of record with sealed values', () => {
  const keys = [keyText('k2'), keyText('k1')]
  const host = eachTestHost({ SVC_KEYS: keys[1] ?? '' })

  /** A record of the kind whose sealed places hold something, where the registry finds it. */
  async function sample(store: Store, kind: RecordKind): Promise<string> {
    const [place] = kind.sealed ?? []
    const tag = kind.tags === 'instance' ? host.instance.id : (kind.tags[0] ?? '')
    const { places } = kind
    const id = places.by === 'ids' ? (places.ids[0] ?? '') : `${host.config.namespace}.accounts/one`
    const key = recordKey(tag, kind.kind, id)
    const empty = valueAt(place?.path ?? [], OTHER_MEMBERS[kind.kind])
    const record = toFound({ key, value: empty, revision: '' as Revision })
    const members = sealedMembers(kind, record)
    expect(members, `${kind.kind}: say in OTHER_MEMBERS what its context reads`).to.not.be.empty
    const sealer = createSealer([toKey(keys[1] ?? '')])
    const texts = members.map((member) => ({
      path: member.path,
      text: sealMember(sealer, member.context, Buffer.from(`secret of ${kind.kind}`)),
    }))
    const names = places.by === 'index' ? [places.index] : []
    await store.write([
      {
        op: 'put',
        key,
        value: withTexts(empty, texts),
        indexes: names.map((name) => ({ index: indexKey(tag, name), sort: 'one' })),
      },
    ])
    return tag
  }

  function valueAt([step, ...rest]: readonly string[], others: Json = {}): Json {
    if (step === undefined) return 'placeholder'
    if (step === '**') return valueAt(rest, others)
    if (Array.isArray(others)) return others.map((each: Json) => valueAt(rest, each))
    const name = step.startsWith('*') ? `secret${step.slice(1)}` : step
    const known = others as { readonly [member: string]: Json }
    return { ...known, [name]: valueAt(rest, known[name]) }
  }

  it('is resealed, and stays where the registry finds it', async () => {
    const { store, app } = host.host
    const { records } = app.oauth
    const kinds = records
      .all()
      .filter(({ sealed, places }) => sealed !== undefined && places.by !== 'nobody')
      .filter(({ sealed }) => sealed?.every(({ provesKey }) => provesKey !== true) === true)
    expect(kinds.map(({ kind }) => kind)).to.include.members(['keys', 'client', 'owner', 'account'])
    const tags = new Map<string, string>()
    for (const kind of kinds) tags.set(kind.kind, await sample(store, kind))
    const run = new Reseal({
      store,
      records,
      keys: keys.map(toKey),
      clock: { now: () => Date.now() },
      log: SILENT,
      hostname: 'here',
    })
    await run.start(10_000)
    await until(async () => (await run.progress())?.status === 'done')
    const { state } = (await run.progress()) ?? {}
    expect(state?.damaged).to.equal(0)
    expect(Object.keys(state?.counts ?? {})).to.deep.equal(['k2'])
    const alone = createSealer([toKey(keys[0] ?? '')])
    for (const kind of kinds) {
      const found: string[] = []
      const tag = tags.get(kind.kind) ?? ''
      for await (const record of findRecords(records, store, tag, (each) => each === kind)) {
        for (const member of sealedMembers(kind, record)) {
          const opened = openMember(alone, member).toString()
          // A seal hides nothing: what it opens to is what it proves.
          found.push('signed' in member.context ? `secret of ${kind.kind}` : opened)
        }
      }
      expect(found, kind.kind).to.include(`secret of ${kind.kind}`)
    }
    await run.close()
  })
})

/** @see operation.md 3.2, 3.4 to 3.6 */
describe('a change of the sealing keys', function () {
  this.timeout(90_000)
  const domain = 'alice.example.com'
  const [old, next] = [keyText('k1'), keyText('k2')]
  let folder: string
  let host: HostProcess | undefined
  beforeEach(async () => {
    folder = testFolder()
  })
  afterEach(async () => {
    await host?.stop()
  })

  async function start(keys: string, env: Record<string, string>): Promise<HostProcess> {
    const settings = { SVC_DEMO: 'off', ...env, SVC_KEYS: keys }
    host = await spawnHost({ dataDir: folder, env: settings })
    return host
  }
  async function svc(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = (await host?.svc(...args)) ?? {}
    expect(code, stderr).to.equal(0)
    return stdout ?? ''
  }
  const stop = async (signal?: NodeJS.Signals): Promise<void> => {
    await host?.stop(signal)
    host = undefined
  }

  /** @param ends - how servers end that reseal; without it none does */
  async function change(env: Record<string, string>, ends?: NodeJS.Signals): Promise<void> {
    const running = await start(old, env)
    await svc('instance', 'create', domain, '--email', 'alice@mail.example')
    for (let at = 0; at < 2; at += 1) await svc('instance', 'create', `i${at}.example.com`)
    const party = relyingParty({ issuer: `https://${domain}`, port: running.port })
    const { client_id, client_secret } = await party.register()
    const tokens = JSON.parse(
      await svc('token', 'oauth', domain, String(client_id), 'io.svc.notes', '--json'),
    ) as { refresh_token: string }
    await stop()

    const refused = await runFaultyHost({
      SVC_DATA_DIR: folder,
      SVC_DEMO: 'off',
      ...env,
      SVC_KEYS: next,
    })
    expect(refused.code).to.equal(78)
    expect(refused.stderr).to.include('sealed with the key "k1"').and.include('svc keys reseal')

    for (const run of ends === undefined ? [] : ['first', 'second']) {
      await start(`${next},${old}`, env)
      const said = await svc('keys', 'reseal', '--rate', '2', '--no-wait')
      expect(said, run).to.match(/sealed with k2 now/)
      await stop(ends)
    }
    await start(`${next},${old}`, env)
    const said = await svc('keys', 'reseal')
    expect(said).to.match(/^Sealed again: \d+\./)
    expect(said).to.include('Nothing is sealed with k1 any more. Remove it from SVC_KEYS.')
    expect(await svc('keys', 'status')).to.match(/k1 +2 +\S+ +0 +empty +yes/)
    await stop()

    const without = await start(next, env)
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: String(client_id),
      client_secret: String(client_secret),
      refresh_token: tokens.refresh_token,
    }).toString()
    const refreshed = await requestLoopback({ port: without.port }, http.globalAgent, {
      method: 'POST',
      url: new URL(`https://${domain}/auth/access_token`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
    expect(refreshed.status, refreshed.body.toString()).to.equal(200)
    await svc('token', 'oauth', domain, String(client_id), 'io.svc.notes')
    expect(await svc('keys', 'status'))
      .to.include('client 1')
      .and.include('keys 9')
    expect(without.log.filter(({ event }) => event === 'keys.open_failed')).to.be.empty
    await stop()
  }

  it('needs the old key until everything is resealed, by a server that was killed meanwhile', () =>
    change({}, 'SIGKILL'))

  it('needs the old key until everything is resealed, on Redis, in production', async function () {
    needsRedis(this)
    const redis = await testRedis()
    await change({ SVC_STORE: redis.url, NODE_ENV: 'production' })
  })
})
