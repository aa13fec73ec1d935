import { randomBytes } from 'node:crypto'
import { fakeClock } from '@svc/testkit'
import type { Key } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import type { Context } from 'koa'
import { SignJWT } from 'jose'
import type { Client } from '../../../src/clients/client.ts'
import { clientKey } from '../../../src/clients/client-record.ts'
import { type Grant, grantKey } from '../../../src/engine/grant.ts'
import {
  createKeyring,
  createRevocations,
  createSealer,
  type Instance,
  isHttpError,
  type Revocations,
  type StoredKeyring,
} from '@svc/platform'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import type { AppManifest, OwnerSessions } from '../../../src/ports.ts'
import { ForbiddenScopes } from '../../../src/scopes/forbidden.ts'
import { serializeScope } from '../../../src/scopes/scope.ts'
import { authenticate as authenticateRequest } from '../../../src/access/access.ts'
import { AccessCaches, type AccessServices } from '../../../src/access/caller.ts'
import type { AccessContext } from '../../../src/access/access-context.ts'
import { issueAppToken } from '../../../src/tokens/app-token.ts'
import { type JwtClaims, signJwt } from '../../../src/tokens/jwt.ts'
import { type LogLine, testInstance } from '../../../../platform/test/unit/http/serve-rows.ts'

const ALICE = testInstance()
const BOB = testInstance({ id: 'bob' as never, domain: 'bob.example.com' })
const DRIVE: AppManifest = {
  slug: 'drive',
  name: 'Drive',
  permissions: { files: { type: 'io.svc.files' }, apps: { type: 'io.svc.apps' } },
  routes: {},
}

/** Everything the guard looks at, in the test's hands. */
interface World {
  readonly clock: ReturnType<typeof fakeClock>
  readonly keyring: StoredKeyring
  readonly revocations: Revocations
  readonly services: AccessServices
  readonly log: LogLine[]
  readonly clients: Map<string, Client>
  readonly grants: Map<string, Grant>
  readonly apps: Map<string, AppManifest>
  sessions: OwnerSessions | undefined
  sessionId: string | undefined
  lookups: number
  /** Clients whose use was noted. */
  readonly uses: string[]
  /** Tells what a store tells that nobody else writes. */
  write(key: Key): void
  /** How many hear of writes. */
  hearing(): number
  close(): Promise<void>
}

/** @param isSole - the store tells of each write */
async function makeWorld(isSole = false): Promise<World> {
  const clock = fakeClock()
  const store = sqliteStore({ file: ':memory:', clock })
  const sealer = createSealer([{ kid: 'k', key: randomBytes(32) }])
  const keyring = createKeyring({ store, sealer, clock })
  for (const { id } of [ALICE, BOB]) await store.write(keyring.create(id))
  const log: LogLine[] = []
  const write = (level: LogLine['level']) => (event: string, fields?: LogLine['fields']) => {
    log.push({ level, event, fields })
  }
  const logger = { info: write('info'), warn: write('warn'), error: write('error') }
  const revocations = createRevocations({ bus: store.bus, log: logger })
  const listeners = new Set<(key: Key) => void>()
  const onWritten = (listener: (key: Key) => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const world: Omit<World, 'services'> = {
    clock,
    keyring,
    revocations,
    log,
    clients: new Map([['c1', client()]]),
    grants: new Map([['g1', grant()]]),
    apps: new Map([['drive', DRIVE]]),
    sessions: { current: async () => session(world.sessionId) },
    sessionId: 's1',
    lookups: 0,
    uses: [],
    write: (key) => {
      for (const listener of listeners) listener(key)
    },
    hearing: () => listeners.size,
    close: async () => {
      await revocations.close()
      await keyring.close()
      await store.close()
    },
  }
  const findGrant = (key: unknown): Grant | undefined =>
    [...world.grants].find(([id]) => grantKey(ALICE.id, id) === key)?.[1]
  const services: AccessServices = {
    // What is asked of a store here: grants.
    store: {
      get: async (key: unknown) => {
        const value = findGrant(key)
        return value === undefined ? undefined : { value }
      },
    } as never,
    clock,
    log: logger,
    namespace: 'io.svc',
    keyring,
    apps: { installed: async (_, slug) => world.apps.get(slug) },
    konnectors: undefined,
    flagship: { skipCertification: false },
    clients: {
      find: async (_, id) => {
        world.lookups += 1
        return world.clients.get(id)
      },
    },
    engine: { lastUsed: { note: (_, id) => world.uses.push(id) } },
    clientAddress: () => '192.0.2.1',
    given: {
      get sessions() {
        return world.sessions
      },
    },
    accessCaches: new AccessCaches({
      clock,
      keyring,
      revocations,
      store: isSole ? { onWritten } : {},
      max: 10_000,
    }),
    forbidden: new ForbiddenScopes('io.svc'),
  }
  return Object.assign(world, { services })
}

function session(id: string | undefined) {
  return id === undefined ? undefined : ({ id, kind: 'normal', createdAt: 0 } as const)
}

function client(fields: object = {}, softwareId = 'org.client'): Client {
  const metadata = { client_name: 'C', redirect_uris: [], software_id: softwareId }
  // Identifiers are branded texts.
  return { id: 'c1', metadata, pending: false, flagship: false, ...fields } as unknown as Client
}

function grant(fields: object = {}): Grant {
  const scope = 'io.svc.files:GET'
  return { id: 'g1', clientId: 'c1', scope, createdAt: 0, ...fields } as unknown as Grant
}

function context(token: string, instance: Instance = ALICE): Context {
  const authorization = `Bearer ${token}`
  const req = { headers: { authorization }, rawHeaders: ['Authorization', authorization] }
  // What the guard reads of a context.
  return { req, state: { instance } } as unknown as Context
}

describe('authenticate', () => {
  let world: World
  beforeEach(async () => {
    world = await makeWorld()
  })
  afterEach(() => world.close())

  const nowS = (): number => Math.floor(world.clock.now() / 1000)

  function claims(fields: Partial<JwtClaims> = {}): JwtClaims {
    const dates = { iat: nowS(), exp: nowS() + 86_400 }
    const base = {
      iss: ALICE.domain,
      aud: 'access',
      sub: 'c1',
      gid: 'g1',
      scope: 'io.svc.files:GET',
    }
    return { ...base, ...dates, ...fields }
  }

  async function sign(fields: Partial<JwtClaims> = {}, kind: 'access' | 'session' = 'access') {
    return signJwt(await world.keyring.current(ALICE, kind), claims(fields))
  }

  async function authenticate(token: string, instance?: Instance): Promise<AccessContext> {
    return authenticateRequest(context(token, instance), world.services)
  }

  /** `<status> <code> <detail>` of what is thrown. */
  async function refusal(token: string, instance?: Instance): Promise<string> {
    try {
      await authenticate(token, instance)
    } catch (error) {
      if (!isHttpError(error)) throw error
      return `${error.status} ${error.code} ${error.detail}`
    }
    throw new Error('the token was accepted')
  }

  describe('with an access token', () => {
    it('answers who calls and what it may do', async () => {
      const found = await authenticate(await sign())
      expect(found.kind).to.equal('access')
      expect(found.client?.id).to.equal('c1')
      expect(found.app).to.equal(undefined)
      expect(found.owner).to.equal('io.svc.oauth.clients/c1')
      expect(serializeScope(found.permissions)).to.equal('io.svc.files:GET')
      expect(found.allows('GET', 'io.svc.files')).to.equal(true)
      expect(found.allows('POST', 'io.svc.files')).to.equal(false)
    })

    it('refuses one whose claims are missing, or are those of others', async () => {
      for (const fields of [
        { gid: undefined },
        { scope: undefined },
        { aud: 'constructor' },
        { scope: 'io.svc.files:read' },
        { scope: '' },
        { scope: '@io.svc.apps/drive' },
      ]) {
        // What the types of claims do not allow.
        const token = await sign(fields as Partial<JwtClaims>)
        expect(await refusal(token), JSON.stringify(fields)).to.match(/^401 invalid_token/)
      }
    })

    it('refuses it on another instance, also when it was accepted here', async () => {
      const token = await sign()
      await authenticate(token)
      expect(await refusal(token, BOB)).to.match(/^401 invalid_token/)
    })

    it('gives scope * to a flagship client only as long as it is one', async () => {
      world.clients.set('c1', client({ flagship: true }))
      world.grants.set('g1', grant({ scope: '*' }))
      const token = await sign({ scope: '*' })
      expect((await authenticate(token)).allows('DELETE', 'io.svc.anything')).to.equal(true)
      world.clients.set('c1', client({ flagship: false }))
      world.clock.advance(1000)
      expect(await refusal(token)).to.equal('401 invalid_token its client is not certified')
    })
  })

  describe('with dates', () => {
    const EXPIRED = '401 invalid_token expired'

    it('refuses from exp on, cached or not', async () => {
      const token = await sign({ exp: nowS() + 100 })
      const unseen = await sign({ exp: nowS() + 100, jti: 'unseen' })
      await authenticate(token)
      world.clock.advance(101_000)
      expect(await refusal(token)).to.equal(EXPIRED)
      expect(await refusal(token)).to.equal(EXPIRED)
      expect(await refusal(unseen)).to.equal(EXPIRED)
    })

    it('counts 24 h from iat, whatever exp says', async () => {
      const token = await sign({ exp: nowS() + 10 * 86_400 })
      await authenticate(token)
      world.clock.advance(86_401_000)
      expect(await refusal(token)).to.equal(EXPIRED)
    })

    it('refuses a cached token when the clock was set back before it was issued', async () => {
      const token = await sign()
      await authenticate(token)
      world.clock.advance(-120_000)
      expect(await refusal(token)).to.match(/^401 invalid_token/)
    })
  })

  describe('with forgeries', () => {
    it('refuses its own key under another kid', async () => {
      for (const kid of ['session.1', 'access.2', 'access.0', 'access.01', '../access.1']) {
        const { secret } = await world.keyring.current(ALICE, 'access')
        const signer = new SignJWT({ ...claims() }).setProtectedHeader({ alg: 'HS512', kid })
        expect(await refusal(await signer.sign(secret)), kid).to.match(/^401 invalid_token/)
      }
    })

    it('refuses any change of a good token, also after it was seen', async () => {
      const token = await sign()
      await authenticate(token)
      for (let at = 0; at < token.length; at += 11) {
        const other = token[at] === 'A' ? 'B' : 'A'
        const changed = token.slice(0, at) + other + token.slice(at + 1)
        expect(await refusal(changed)).to.match(/^401 invalid_token/)
      }
    })
  })

  describe('when something ends', () => {
    it('refuses within a second without being told', async () => {
      const token = await sign()
      await authenticate(token)
      world.clients.clear()
      world.clock.advance(1000)
      expect(await refusal(token)).to.equal('401 invalid_token its client is gone')
    })

    it('asks the store at most once in 900 ms', async () => {
      world.clock.stop()
      const token = await sign()
      for (let i = 0; i < 20; i += 1) await authenticate(token)
      expect(world.lookups).to.equal(1)
      expect(world.uses).to.deep.equal(['c1'])
    })

    describe('on a store that nobody else writes', () => {
      beforeEach(async () => {
        await world.close()
        world = await makeWorld(true)
      })

      const written = { client: clientKey(ALICE.id, 'c1'), grant: grantKey(ALICE.id, 'g1') }
      for (const kind of ['client', 'grant'] as const) {
        it(`refuses at once when its ${kind} was written, without a message`, async () => {
          const token = await sign()
          await authenticate(token)
          world[`${kind}s`].clear()
          world.write(written[kind])
          expect(await refusal(token)).to.equal(`401 invalid_token its ${kind} is gone`)
        })
      }

      it('asks the store again for what was written alone, and after 10 s', async () => {
        world.clock.stop()
        const token = await sign()
        for (let i = 0; i < 5; i += 1) {
          world.clock.advance(1000)
          world.write(clientKey(ALICE.id, 'c2'))
          await authenticate(token)
        }
        expect(world.lookups).to.equal(1)
        world.write(written.client)
        await authenticate(token)
        expect(world.lookups).to.equal(2)
        world.clock.advance(10_000)
        await authenticate(token)
        expect(world.lookups).to.equal(3)
      })

      it('hears no more once it is closed, and trusts nothing for longer than it may then', async () => {
        world.clock.stop()
        const token = await sign()
        await authenticate(token)
        expect(world.hearing()).to.equal(1)
        world.services.accessCaches.close()
        expect(world.hearing()).to.equal(0)
        await authenticate(token)
        world.grants.clear()
        world.clock.advance(900)
        expect(await refusal(token)).to.equal('401 invalid_token its grant is gone')
      })

      it('does not keep what a look-up found that began before a write and ended after it', async () => {
        const token = await sign()
        const { store } = world.services
        const answer = Promise.withResolvers<unknown>()
        const begun = Promise.withResolvers<void>()
        const before = await store.get(written.grant)
        const { get } = store
        store.get = (() => {
          begun.resolve()
          return answer.promise
        }) as never
        const first = authenticate(token)
        await begun.promise
        store.get = get
        world.grants.clear()
        world.write(written.grant)
        answer.resolve(before)
        await first
        expect(await refusal(token)).to.equal('401 invalid_token its grant is gone')
      })

      it('refuses from the very end of a grant on, though nobody writes then', async () => {
        world.clock.stop()
        world.grants.set('g1', grant({ endsAt: world.clock.now() + 5000 }))
        const token = await sign()
        world.clock.advance(4999)
        await authenticate(token)
        world.clock.advance(1)
        expect(await refusal(token)).to.equal('401 invalid_token its grant ended')
      })
    })

    it('notes no use for a token that is refused', async () => {
      const token = await sign()
      world.grants.clear()
      await refusal(token)
      expect(world.uses).to.deep.equal([])
    })

    const ends = ['client', 'grant'] as const
    for (const kind of ends) {
      it(`refuses at once when told that its ${kind} ended`, async () => {
        const token = await sign()
        await authenticate(token)
        world[`${kind}s`].clear()
        const id = kind === 'client' ? 'c1' : 'g1'
        await world.revocations.publish({ instanceId: ALICE.id, kind, id })
        expect(await refusal(token)).to.equal(`401 invalid_token its ${kind} is gone`)
      })
    }

    it('refuses at once when the keys were rotated away', async () => {
      const token = await sign()
      await authenticate(token)
      await world.keyring.rotate(ALICE, { revoke: true })
      expect(await refusal(token)).to.equal('401 invalid_token its key was replaced')
    })
  })

  describe('with a linked client', () => {
    beforeEach(() => {
      world.clients.set('c1', client({}, 'registry://drive/stable'))
    })

    it('follows the installed manifest', async () => {
      const token = await sign({ scope: '@io.svc.apps/drive' })
      await authenticate(token)
      world.apps.set('drive', { ...DRIVE, permissions: { notes: { type: 'io.svc.notes' } } })
      expect(serializeScope((await authenticate(token)).permissions)).to.equal('io.svc.notes')
      world.apps.clear()
      expect(await refusal(token)).to.equal('401 invalid_token its app is not installed')
    })

    it('gives nothing from a malformed manifest, and logs it', async () => {
      world.apps.set('drive', { ...DRIVE, permissions: { bad: { type: 'io.svc.*' } } })
      const found = await authenticate(await sign({ scope: '@io.svc.apps/drive' }))
      expect(found.permissions).to.deep.equal([])
      expect(world.log.map(({ event }) => event)).to.include('app.permissions_malformed')
    })
  })

  describe('with an app token', () => {
    async function issue(app: AppManifest = DRIVE, sessionId = 's1'): Promise<string> {
      const { keyring, clock } = world
      return issueAppToken({ keyring, clock, lifetimes: DEFAULT_LIFETIMES }, ALICE, app, sessionId)
    }

    it('answers the app', async () => {
      const found = await authenticate(await issue())
      expect(found.kind).to.equal('app')
      expect(found.sessionId).to.equal('s1')
      expect(found.client).to.equal(undefined)
      expect(found.owner).to.equal('io.svc.apps/drive')
      expect(found.allows('POST', 'io.svc.apps')).to.equal(true)
    })

    it('takes what it may do from the installed manifest, not from the token', async () => {
      const token = await issue({
        ...DRIVE,
        permissions: { all: { type: 'io.svc.secret_things' } },
      })
      expect(serializeScope((await authenticate(token)).permissions)).to.equal(
        'io.svc.files io.svc.apps',
      )
    })

    it('stays short when the manifest is long', async () => {
      const values = Array.from({ length: 100 }, (_, i) => `${'v'.repeat(60)}${i}`)
      const long = { type: 'io.svc.files', values }
      const token = await issue({ ...DRIVE, permissions: { a: long, b: long } })
      expect((await authenticate(token)).kind).to.equal('app')
    })

    it('refuses one without a session id', async () => {
      const token = await sign({ aud: 'app', sub: 'drive' }, 'session')
      expect(await refusal(token)).to.equal('401 invalid_token claims are missing')
    })
  })

  it('says so when it runs without resolveInstance', async () => {
    const ctx = context('x')
    delete ctx.state['instance']
    expect(() => authenticateRequest(ctx, world.services)).to.throw(TypeError)
  })
})
