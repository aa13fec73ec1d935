import type { Json, Key, Store } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import { SignJWT } from 'jose'
import { clientKey } from '../../src/clients/client-record.ts'
import { grantKey } from '../../src/engine/grant.ts'
import type { AppManifest } from '../../src/ports.ts'
import { serializeScope } from '../../src/scopes/scope.ts'
import { type JwtClaims, signJwt } from '../../src/tokens/jwt.ts'
import { claimsOf } from '../client-steps.ts'
import { HOST, testApp } from '../oauth-server.ts'
import { type TokenServer, tokenServer } from './token-server.ts'

const OWNER = 'session=owner'
const REFUSED = 'invalid_token'
const DRIVE = testApp('drive', { permissions: { files: { type: 'io.svc.files' } } })

// What is refused without any memory of it: same-refusals.test.ts and guard.test.ts.
describe('a guard that remembers', () => {
  let clock: FakeClock
  let store: Store
  let server: TokenServer
  let id: string
  let token: string
  /** Reads of the client's record. */
  let reads: number

  /** @param isSole - the store tells of each write */
  async function start(isSole: boolean, software_id = 'org.client'): Promise<void> {
    clock = fakeClock()
    clock.stop()
    store = sqliteStore({ file: ':memory:', clock })
    if (!isSole) Object.assign(store, { onWritten: undefined })
    server = await tokenServer({ store, clock, mayCrash: true })
    server.apps.set('drive', DRIVE)
    const client = await server.register({ software_id })
    id = client.id
    const { body } = await server.exchange(client, await server.mint(client))
    token = String(body['access_token'])
    clock.advance(11_000)
    reads = 0
    const { get } = store
    store.get = (key) => {
      if (key === records.client()) reads += 1
      return get.call(store, key) as never
    }
  }
  beforeEach(() => start(false))

  const records = {
    client: (): Key => clientKey(server.instance.id, id),
    grant: (): Key => grantKey(server.instance.id, String(claimsOf(token)['gid'])),
  }
  /** Takes a record away as no other part of the package would: nobody is told. */
  const remove = (kind: keyof typeof records) =>
    store.write([{ op: 'delete', key: records[kind]() }])

  const nowS = (): number => Math.floor(clock.now() / 1000)

  async function sign(fields: object = {}, kind: 'access' | 'session' = 'access') {
    const key = await server.oauth.keyring.current(server.instance, kind)
    const own = claimsOf(token) as unknown as JwtClaims
    return signJwt(key, { ...own, iat: nowS(), exp: nowS() + 86_400, ...fields })
  }

  const call = (bearer: string, host = HOST) =>
    server.oauth.authenticateRequest({
      headers: { host, authorization: `Bearer ${bearer}`, cookie: OWNER },
    })
  /** What the caller may do, or the code of the refusal. */
  async function seen(bearer = token): Promise<string> {
    const found = await call(bearer)
    return found.ok ? serializeScope(found.access.permissions) : found.code
  }
  const SCOPE = 'io.svc.contacts io.svc.files:GET'

  it('refuses claims that are missing, or are those of others', async () => {
    expect(await seen()).to.equal(SCOPE)
    for (const fields of [
      { gid: undefined },
      { scope: undefined },
      { aud: 'constructor' },
      { scope: 'io.svc.files:read' },
      { scope: '' },
      { scope: '@io.svc.apps/drive' },
    ]) {
      expect(await seen(await sign(fields)), JSON.stringify(fields)).to.equal(REFUSED)
    }
    expect(await seen(await sign({ aud: 'app', sub: 'drive' }, 'session'))).to.equal(REFUSED)
  })

  it('refuses from exp on, and from 24 h on whatever it says, cached or not', async () => {
    const short = await sign({ exp: nowS() + 100 })
    const unseen = await sign({ exp: nowS() + 100, jti: 'unseen' })
    const long = await sign({ exp: nowS() + 10 * 86_400 })
    for (const each of [short, long]) expect(await seen(each)).to.equal(SCOPE)
    clock.advance(101_000)
    for (const each of [short, short, unseen]) expect(await seen(each)).to.equal(REFUSED)
    clock.advance(86_300_000)
    expect(await seen(long)).to.equal(REFUSED)
  })

  it('refuses a cached token when the clock was set back before it was issued', async () => {
    const late = await sign()
    expect(await seen(late)).to.equal(SCOPE)
    clock.advance(-120_000)
    expect(await seen(late)).to.equal(REFUSED)
  })

  it('refuses any change of a token that was seen, and its own key under another kid', async () => {
    expect(await seen()).to.equal(SCOPE)
    for (let at = 0; at < token.length; at += 11) {
      const other = token[at] === 'A' ? 'B' : 'A'
      expect(await seen(token.slice(0, at) + other + token.slice(at + 1))).to.equal(REFUSED)
    }
    const { secret } = await server.oauth.keyring.current(server.instance, 'access')
    for (const kid of ['session.1', 'access.2', 'access.0', 'access.01', '../access.1']) {
      const signer = new SignJWT(claimsOf(token)).setProtectedHeader({ alg: 'HS512', kid })
      expect(await seen(await signer.sign(secret)), kid).to.equal(REFUSED)
    }
  })

  it('asks the store once in 900 ms, and refuses within a second without being told', async () => {
    for (let i = 0; i < 20; i += 1) expect(await seen()).to.equal(SCOPE)
    expect(reads).to.equal(1)
    await remove('client')
    clock.advance(1000)
    expect(await seen()).to.equal(REFUSED)
  })

  it('notes when a client was last here, and nothing of a token that is refused', async () => {
    const lastUsed = async () =>
      (await server.oauth.clients.get(server.instance, id))?.lastUsedAt ?? 0
    const before = await lastUsed()
    expect(await seen()).to.equal(SCOPE)
    const at = await lastUsed()
    expect(at).to.be.greaterThan(before)
    await remove('grant')
    clock.advance(1000)
    expect(await seen()).to.equal(REFUSED)
    expect(await lastUsed()).to.equal(at)
  })

  describe('on a store that nobody else writes', () => {
    beforeEach(() => start(true))

    for (const kind of ['client', 'grant'] as const) {
      it(`refuses at once when its ${kind} was written, without a message`, async () => {
        expect(await seen()).to.equal(SCOPE)
        await remove(kind)
        expect(await seen()).to.equal(REFUSED)
      })
    }

    it('asks the store again for what was written alone, and after 10 s', async () => {
      const touch = (key: Key) => store.write([{ op: 'put', key, value: {} }])
      await seen()
      for (let i = 0; i < 5; i += 1) {
        clock.advance(1000)
        await touch(clientKey(server.instance.id, 'other'))
        await seen()
      }
      expect(reads).to.equal(1)
      const record = await store.get(records.client())
      await store.write([{ op: 'put', key: records.client(), value: record?.value ?? null }])
      reads = 0
      await seen()
      expect(reads).to.equal(1)
      clock.advance(10_000)
      await seen()
      expect(reads).to.equal(2)
    })

    it('does not keep what a look-up found that began before a write and ended after it', async () => {
      const answer = Promise.withResolvers<unknown>()
      const begun = Promise.withResolvers<void>()
      const before = await store.get(records.grant())
      const { get } = store
      store.get = ((key: Key) => {
        if (key !== records.grant()) return get.call(store, key)
        begun.resolve()
        return answer.promise
      }) as never
      const first = seen()
      await begun.promise
      store.get = get
      await remove('grant')
      answer.resolve(before)
      expect(await first).to.equal(SCOPE)
      expect(await seen()).to.equal(REFUSED)
    })

    it('refuses from the very end of a grant on, though nobody writes then', async () => {
      const { value } = (await store.get<Record<string, Json>>(records.grant())) ?? {}
      const endsAt = clock.now() + 5000
      await store.write([{ op: 'put', key: records.grant(), value: { ...value, endsAt } }])
      clock.advance(4999)
      expect(await seen()).to.equal(SCOPE)
      clock.advance(1)
      expect(await seen()).to.equal(REFUSED)
    })

    it('trusts nothing for longer than it may once it is closed', async () => {
      expect(await seen()).to.equal(SCOPE)
      await server.oauth.close()
      expect(await seen()).to.equal(SCOPE)
      await remove('grant')
      clock.advance(900)
      expect(await seen()).to.equal(REFUSED)
    })
  })

  it('follows the installed manifest of a linked client, and gives nothing of a malformed one', async () => {
    await start(false, 'registry://drive/stable')
    expect(await seen()).to.equal('io.svc.files')
    const install = (permissions: AppManifest['permissions']) =>
      server.apps.set('drive', { ...DRIVE, permissions })
    install({ notes: { type: 'io.svc.notes' } })
    expect(await seen()).to.equal('io.svc.notes')
    install({ bad: { type: 'io.svc.*' } })
    expect(await seen()).to.equal('')
    expect(server.logged.join()).to.include('app.permissions_malformed')
    server.apps.delete('drive')
    expect(await seen()).to.equal(REFUSED)
  })

  it('takes what an app may do from its manifest, however long the one of its token was', async () => {
    const values = Array.from({ length: 100 }, (_, i) => `${'v'.repeat(60)}${i}`)
    const long = { type: 'io.svc.secret_things', values }
    const other = { ...DRIVE, permissions: { a: long, b: long } }
    const { appTokens } = server.oauth
    expect(await seen(await appTokens.issue(server.instance, other, 'owner'))).to.equal(
      'io.svc.files',
    )
  })
})
