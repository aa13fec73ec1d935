import { DAY_MS, HOUR_MS, MINUTE_MS } from '@svc/platform'
import { eachStore, type FakeClock, fakeClock, type ScriptedAnswer } from '@svc/testkit'
import type { Store } from '@svc/store'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import type { AccountDocument } from '../../../src/accounts/account.ts'
import type { AccountTypeEntry } from '../../../src/account-types/account-type.ts'
import { failingAccountTypes, PRESETS } from '../../../src/index.ts'
import { errorCode } from '../../support/flow-steps.ts'
import { type RefreshServer, startRefresh } from '../../support/refresh-server.ts'
import { until } from '../../support/until.ts'

type Refusal = readonly [
  /** A preset has the fields of its name. */
  provider: string,
  body: object,
  reason: string,
  more?: { readonly status?: number; readonly fields?: Partial<AccountTypeEntry> },
]

const OWN = { fields: { revoked_errors: ['gone for good'] } }
const BY_PATH = { fields: { ...OWN.fields, error_paths: ['fault.detail'] } }
const refreshToken = { resource: 'RefreshToken', field: 'refresh_token', code: 'invalid' }
const strava = { message: 'Bad Request', errors: [refreshToken] }
const described = 'Invalid "refresh_token" in request.'

/** Today's answers to a refresh token that is refused, as publicly reported. */
const REFUSED: readonly Refusal[] = [
  ['strava', strava, 'RefreshToken.refresh_token.invalid'],
  ['twitch', { status: 400, message: 'Invalid refresh token' }, 'Invalid refresh token'],
  ['twitch', { status: 400, message: 'Invalid grant' }, 'Invalid grant'],
  ['reddit', { message: 'Bad Request', error: 400 }, 'Bad Request'],
  ['one like fitbit', { errors: [{ errorType: 'invalid_grant' }] }, 'invalid_grant'],
  ['one like hubspot', { status: 'BAD_REFRESH_TOKEN', message: 'x' }, 'BAD_REFRESH_TOKEN'],
  ...['interaction_required', 'login_required', 'consent_required', 'bad_token'].map(
    (error): Refusal => ['microsoft', { error }, error],
  ),
  ...['account_inactive', 'token_expired', 'invalid_auth'].map(
    (error): Refusal => ['slack', { ok: false, error }, error, { status: 200 }],
  ),
  ['discord', { error: 'invalid_request', error_description: described }, 'invalid_request'],
  ['a type by its root message', { message: 'gone for good' }, 'gone for good', OWN],
  ['a type by its root status', { status: 'gone for good' }, 'gone for good', OWN],
  ['a type by errors[].code', { errors: [{}, { code: 'gone for good' }] }, 'gone for good', OWN],
  ['a type by a list', { errors: ['gone for good'] }, 'gone for good', { ...OWN, status: 422 }],
  ['a type by a path', { fault: { detail: 'gone for good' } }, 'gone for good', BY_PATH],
]

const OPERATORS: readonly (readonly [string, Partial<AccountTypeEntry>, number, object])[] = [
  ['slack', { preset: 'slack' }, 200, { ok: false, error: 'bad_client_secret' }],
  ['github', { preset: 'github' }, 200, { error: 'incorrect_client_credentials' }],
  [
    'strava',
    { preset: 'strava' },
    400,
    {
      message: 'Bad Request',
      errors: [{ resource: 'Application', field: 'client_id', code: 'invalid' }],
    },
  ],
  ['twitch', { preset: 'twitch' }, 403, { status: 403, message: 'invalid client secret' }],
  ['a type of its own', { config_errors: ['our fault'] }, 400, { message: 'our fault' }],
  ['any', {}, 401, { error: 'invalid_client' }],
]

const LATER: readonly (readonly [string, Partial<AccountTypeEntry>, number, object])[] = [
  ['slack', { preset: 'slack' }, 200, { ok: false, error: 'internal_error' }],
  ['a type of its own', { later_errors: ['come back'] }, 400, { message: 'come back' }],
  ['any', {}, 400, { error: 'temporarily_unavailable' }],
  ['any, with 408', {}, 408, {}],
  ['any, with 425', {}, 425, {}],
]

/** @see connectors.md 6.3 (3), 8.4, 8.7 (4); D97 */
describe('a refresh that a provider refuses', () => {
  eachStore((open) => {
    let clock: FakeClock
    let store: Store
    let server: RefreshServer
    let account: AccountDocument
    let told: string[]

    beforeEach(async () => {
      clock = fakeClock()
      store = await open({ clock })
      server = await startRefresh({ store, clock })
      told = []
      server.connectors.on('account.reconnect_required', ({ accountId }) => told.push(accountId))
    })
    afterEach(() => server.close())

    /** Endpoints stay those of the test's provider. */
    async function provision(fields: Partial<AccountTypeEntry> = {}): Promise<void> {
      await server.putImported({ token_mode: 'form', token_body_format: 'form', ...fields })
      account = await server.importBank({ expiresAt: clock.now() + HOUR_MS })
    }
    const always = (answer: ScriptedAnswer, times = 50): void =>
      server.provider.script('token', ...Array.from({ length: times }, () => answer))
    const statusOf = async ({ _id }: AccountDocument): Promise<string | undefined> =>
      (await server.stored(_id)).oauth?.status
    const refresh = async ({ _id }: AccountDocument = account): Promise<string> => {
      const answer = await server.refresh(_id)
      return answer.status === 200 ? 'ok' : `${answer.status} ${errorCode(answer)}`
    }

    for (const [provider, body, reason, { status = 400, fields } = {}] of REFUSED) {
      it(`by ${provider}, ${JSON.stringify(body)}, needs the owner at once, and is not repeated`, async () => {
        const preset = Object.hasOwn(PRESETS, provider) ? { preset: provider } : {}
        await provision({ ...preset, ...fields })
        await server.connectors.start()
        const secret = server.issued[0]?.refreshToken ?? ''
        server.provider.script('token', { status, body: { ...body, echo: secret } })
        expect(await refresh()).to.equal('401 oauth_refresh_invalid_token')
        expect(await statusOf(account)).to.equal('reconnect_required')
        expect(told).to.deep.equal([account._id])
        expect(server.logged.join('\n')).to.include(JSON.stringify(reason).slice(1, -1))
        expect(server.logged.join('\n')).not.to.include(secret)
        // Another account's wake-up shows that this one's found nothing to do.
        const other = await server.importBank({ expiresAt: clock.now() + HOUR_MS })
        clock.advance(HOUR_MS)
        await until(async () => (await server.stored(other._id)).oauth?.refresh_seq === 1)
        expect(server.provider.requestsOf('token')).to.have.length(2)
      })
    }

    for (const [provider, fields, status, body] of OPERATORS) {
      it(`by ${provider}, ${JSON.stringify(body)}, for four days asks no owner, and tells the operator`, async () => {
        await provision(fields)
        always({ status, body }, 5)
        for (let at = 0; at < 5; at += 1) {
          expect(await refresh()).to.equal('502 oauth_provider_config_error')
          clock.advance(DAY_MS)
        }
        expect(await statusOf(account)).to.equal('refresh_failing')
        // Nor once the provider fails otherwise.
        always({ status: 500 })
        expect(await refresh()).to.equal('502 oauth_provider_unavailable')
        expect(told).to.deep.equal([])
        expect(server.logged.join('\n')).to.include('error account_type.failing')
      })
    }

    for (const [provider, fields, status, body] of LATER) {
      it(`for now by ${provider}, ${status} ${JSON.stringify(body)}, is a provider that is away`, async () => {
        await provision(fields)
        always({ status, body })
        for (let at = 0; at < 4; at += 1) {
          expect(await refresh()).to.equal('502 oauth_provider_unavailable')
          clock.advance(HOUR_MS)
        }
        expect(told).to.deep.equal([])
      })
    }

    describe('with a 400 that says nothing known', () => {
      const UNKNOWN = { status: 400, body: { error: 'hm' } } as const
      beforeEach(() => provision())

      it('three times in an hour, of the only account, needs its owner', async () => {
        always(UNKNOWN)
        expect(await refresh()).to.equal('502 oauth_provider_error')
        clock.advance(30 * MINUTE_MS)
        expect(await refresh()).to.equal('502 oauth_provider_error')
        clock.advance(30 * MINUTE_MS)
        expect(await refresh()).to.equal('401 oauth_refresh_invalid_token')
        expect(await statusOf(account)).to.equal('reconnect_required')
        expect(told).to.deep.equal([account._id])
      })

      it('often in less than an hour, or twice in a day, needs nobody', async () => {
        always(UNKNOWN)
        for (let at = 0; at < 5; at += 1) {
          expect(await refresh()).to.equal('502 oauth_provider_error')
          clock.advance(11 * MINUTE_MS)
        }
        const other = await server.importBank()
        await server.accounts.delete(
          server.alice,
          account._id,
          (await server.stored(account._id))._rev,
        )
        expect(await refresh(other)).to.equal('502 oauth_provider_error')
        clock.advance(DAY_MS)
        expect(await refresh(other)).to.equal('502 oauth_provider_error')
        expect(told).to.deep.equal([])
      })

      it('of another kind each time needs nobody', async () => {
        for (const error of ['hm', 'well', 'hm', 'well']) {
          server.provider.script('token', { status: 400, body: { error } })
          expect(await refresh()).to.equal('502 oauth_provider_error')
          clock.advance(HOUR_MS)
        }
        expect(told).to.deep.equal([])
      })

      for (const [says, status] of [
        ['429', 429],
        ['403', 403],
        ['404', 404],
      ] as const) {
        it(`but a ${says} needs nobody`, async () => {
          always({ status, body: { error: 'hm' } })
          for (let at = 0; at < 4; at += 1) {
            expect(await refresh()).to.match(/^50/)
            clock.advance(HOUR_MS)
          }
          expect(told).to.deep.equal([])
        })
      }

      it('needs the owner when another account of the type was refreshed meanwhile', async () => {
        const other = await server.importBank()
        const bob = await server.connectors.importAccount(server.bob, {
          accountType: 'bank',
          refreshToken: 'of bob',
        })
        expect(bob._id).not.to.equal(other._id)
        for (let at = 0; at < 3; at += 1) {
          server.provider.script('token', UNKNOWN)
          const isLast = at === 2
          expect(await refresh()).to.equal(
            isLast ? '401 oauth_refresh_invalid_token' : '502 oauth_provider_error',
          )
          expect(await refresh(other)).to.equal('ok')
          clock.advance(HOUR_MS)
        }
        expect(told).to.deep.equal([account._id])
        expect(await failingAccountTypes(store, clock.now())).to.deep.equal([])
      })

      it('is the operator’s when all accounts of the type fail alike, also after four days', async () => {
        const other = await server.importBank()
        always(UNKNOWN)
        const since = clock.now()
        for (let at = 0; at < 5; at += 1) {
          expect(await refresh()).to.equal('502 oauth_provider_error')
          expect(await refresh(other)).to.equal('502 oauth_provider_error')
          clock.advance(DAY_MS)
        }
        expect(told).to.deep.equal([])
        const [failing, ...others] = await failingAccountTypes(store, clock.now())
        expect(failing).to.include({ accountType: 'bank', reason: 'hm' })
        expect(failing?.since).to.be.closeTo(since, 5000)
        expect(others).to.deep.equal([])
        const lines = server.logged.filter((line) => line.includes('account_type.failing'))
        expect(lines.length).to.be.within(1, 5)
        expect(lines[0]).to.include('"reason":"hm"')
      })

      it('needs its owner when the other account was deleted', async () => {
        const other = await server.importBank()
        await server.connectors.removeAccount(server.alice, other._id)
        always(UNKNOWN)
        for (let at = 0; at < 3; at += 1) {
          await refresh()
          clock.advance(HOUR_MS)
        }
        expect(told).to.deep.equal([account._id])
      })
    })
  })
})
