import { once } from 'node:events'
import { until } from '@svc/testkit'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { type AccountHost, startAccountHost } from '../support/account-host.ts'

type Account = Readonly<Record<string, unknown>> & {
  readonly _id: string
  readonly _rev: string
  readonly oauth?: Readonly<Record<string, unknown>>
}

describe('accounts among the documents of the host (connectors.md 7)', () => {
  let host: AccountHost
  let id: string
  let path: string
  let konnector: string

  before(async () => {
    host = await startAccountHost()
    konnector = await host.konnector('demo-photos')
  })
  after(() => host.stop())
  beforeEach(async () => {
    id = await host.connectAccount()
    path = `/data/io.svc.accounts/${id}`
  })

  async function read(access: Parameters<AccountHost['call']>[0], at = path): Promise<Account> {
    const answer = await host.call(access, 'GET', at)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json<Account>()
  }

  /** Every place where the account's secrets are stored or could show. */
  function secrets(text: string): readonly string[] {
    const { requests } = host.provider
    const given = requests.flatMap(({ body }) => [...new URLSearchParams(String(body)).values()])
    return given.filter((value) => value.length > 30 && text.includes(value))
  }

  describe('reading (7.4)', () => {
    it('gives the konnector of the account its token in the clear, no refresh token, and nothing sealed', async () => {
      const account = await read(konnector)
      expect(account['account_type']).to.equal('demo-photos')
      expect(account.oauth).to.include({ status: 'connected', token_type: 'Bearer' })
      expect(account.oauth?.['access_token']).to.be.a('string').that.is.not.empty
      expect(account.oauth).to.not.have.any.keys('refresh_token', 'client_secret')
      expect(JSON.stringify(account)).to.not.include('_encrypted')
    })

    it('gives another konnector no token, though it may read all accounts', async () => {
      const account = await read(await host.konnector('demo-bank'))
      expect(account.oauth).to.include({ status: 'connected' })
      expect(account.oauth).to.not.have.property('access_token')
      expect(JSON.stringify(account)).to.not.include('_encrypted')
    })

    it('gives an app the token only when it asks for credentials', async () => {
      const app = await host.appToken('home')
      expect((await read(app)).oauth).to.not.have.property('access_token')
      const asked = await read(app, `${path}?include=credentials`)
      expect(asked.oauth?.['access_token']).to.equal(
        (await read(konnector)).oauth?.['access_token'],
      )
      expect(asked.oauth).to.not.have.property('refresh_token')
    })

    it('gives an outside client no token, whatever it asks for', async () => {
      const { token } = await host.connect('io.svc.accounts')
      expect((await read(token, `${path}?include=credentials`)).oauth).to.not.have.property(
        'access_token',
      )
    })

    it('shows lists the same way', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const list = await host.call(token, 'GET', '/data/io.svc.accounts?limit=100')
      expect(list.text).to.include(id).and.not.include('_encrypted').and.not.include('access_token')
    })

    it('shares an account without anything sealed in it', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const share = { type: 'io.svc.accounts', ids: [id] }
      const made = await host.call(token, 'POST', '/shares', share)
      const { id: shareId } = made.json<{ id: string }>()
      const seen = await host.call(token, 'GET', `/shared/${shareId}`)
      expect(seen.status).to.equal(200)
      expect(seen.text).to.include('photos').and.not.include('_encrypted')
    })
  })

  describe('writing by hand', () => {
    it('keeps the tokens of an account that was read and is written back, with what was changed', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const before = await read(konnector)
      const shown = await read(token)
      const answer = await host.call(token, 'PUT', path, { ...shown, name: 'Holidays' })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.text).to.not.include('_encrypted')
      const after = await read(konnector)
      expect(after['name']).to.equal('Holidays')
      expect(after.oauth).to.deep.equal(before.oauth)
    })

    it('takes no token and nothing sealed from outside, wherever it stands', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const before = await read(konnector)
      const planted = {
        account_type: 'demo-photos',
        _rev: before._rev,
        oauth: { access_token: 'mine', access_token_encrypted: 'mine', status: 'disconnected' },
        oauth_callback_results: { api_url: 'https://evil.example' },
        oauth_callback_results_encrypted: 'mine',
        more: { deep: [{ secret_encrypted: 'mine' }] },
      }
      expect((await host.call(token, 'PUT', path, planted)).status).to.equal(200)
      const after = await read(konnector)
      expect(after.oauth).to.deep.equal(before.oauth)
      expect(after['oauth_callback_results']).to.deep.equal(before['oauth_callback_results'])
      const stored = await host.host.app.accounts.store.get(host.instance, id)
      expect(JSON.stringify(stored)).to.not.include('"mine"')
    })

    it('creates accounts without tokens only', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const body = {
        account_type: 'demo-photos',
        oauth: { access_token_encrypted: 'x' },
        name: 'A',
      }
      const made = await host.call(token, 'POST', '/data/io.svc.accounts', body)
      expect(made.status).to.equal(201)
      expect(made.json<Account>()).to.include({ account_type: 'demo-photos', name: 'A' })
      expect(made.json<Account>()).to.not.have.property('oauth')
    })

    it('lets no connected account become one of another provider', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const { _rev } = await read(token)
      const answer = await host.call(token, 'PUT', path, { _rev, account_type: 'demo-bank' })
      expect(answer.status).to.equal(400)
      expect(answer.text).to.include('account_type of a connected account cannot change')
    })

    it('answers 400 to an account without a type, and 409 to a revision that is not the current one', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const { _rev } = await read(token)
      expect((await host.call(token, 'PUT', path, { _rev })).status).to.equal(400)
      const body = { _rev: `${_rev}0`, account_type: 'demo-photos' }
      expect((await host.call(token, 'PUT', path, body)).status).to.equal(409)
    })

    it('seals the password of an account, keeps it when the account is written back, and gives it to the konnector alone (7.3.5)', async () => {
      const { token } = await host.connect('io.svc.accounts')
      const auth = { login: 'alice', password: 'open sesame', secret: 'rabbit', bank: 'blue' }
      const made = await host.call(token, 'POST', '/data/io.svc.accounts', {
        account_type: 'demo-bank',
        name: 'Bank',
        auth,
      })
      expect(made.status, made.text).to.equal(201)
      const account = made.json<Account>()
      expect(account['auth']).to.deep.equal({ login: 'alice', bank: 'blue' })
      const bank = `/data/io.svc.accounts/${account._id}`
      const again = { ...account, name: 'My bank' }
      expect((await host.call(token, 'PUT', bank, again)).status).to.equal(200)
      const stored = JSON.stringify(
        await host.host.app.accounts.store.get(host.instance, account._id),
      )
      expect(stored).to.include('credentials_encrypted')
      expect(stored).to.not.match(/open sesame|rabbit/)
      await host.konnector('demo-bank')
      const { fields } = await host.adminJson('POST', '/konnectors/demo-bank/fields')
      expect(fields).to.deep.include(auth)

      const { _rev } = await read(token, bank)
      const other = { ...again, _rev, auth: { login: 'bob', bank: 'blue' } }
      expect((await host.call(token, 'PUT', bank, other)).status).to.equal(200)
      const left = await host.adminJson('POST', '/konnectors/demo-bank/fields')
      expect(left['fields']).to.deep.include({ login: 'bob', secret: 'rabbit' })
      expect(left['fields'], 'a password belongs to its login').to.not.have.property('password')
      await host.call(token, 'DELETE', bank)
    })
  })

  it('tells subscribers of changes without anything sealed (7.2)', async () => {
    const { token } = await host.connect('io.svc.accounts')
    const { port } = host.host
    const headers = { host: host.instance.domain }
    const socket = new WebSocket(`ws://127.0.0.1:${port}/realtime/`, { headers })
    await once(socket, 'open')
    socket.send(JSON.stringify({ method: 'AUTH', payload: token }))
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', payload: { type: 'io.svc.accounts' } }))
    socket.send(JSON.stringify({ method: 'ping' }))
    await once(socket, 'message')
    const texts: string[] = []
    const heard = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        texts.push(String(data))
        if (texts.length === 3) resolve()
      })
    })
    const other = await host.connectAccount()
    const { _rev } = await read(token, `/data/io.svc.accounts/${other}`)
    const body = { _rev, account_type: 'demo-photos', name: 'New' }
    await host.call(token, 'PUT', `/data/io.svc.accounts/${other}`, body)
    await host.call(token, 'DELETE', `/data/io.svc.accounts/${other}`)
    await heard
    socket.terminate()
    const verbs = texts.map((text) => (JSON.parse(text) as { event: string }).event)
    expect(verbs).to.deep.equal(['CREATED', 'UPDATED', 'DELETED'])
    expect(texts.join('')).to.not.include('_encrypted').and.not.include('access_token')
    expect(secrets(texts.join(''))).to.deep.equal([])
  })

  it('ends what is planned for an account that is deleted as a document (4.9)', async () => {
    const { token } = await host.connect('io.svc.accounts')
    expect((await host.call(token, 'DELETE', path)).status).to.equal(204)
    const gone = host.log.filter(
      ([event, fields]) => event === 'account.disconnected' && fields?.['accountId'] === id,
    )
    expect(gone).to.have.length(1)
    expect((await host.call(token, 'GET', path)).status).to.equal(404)
  })

  it('tells the owner, once, of an account that has to be connected again (8.7.5)', async () => {
    host.provider.grants.revokeAll()
    for (const count of [1, 2]) {
      const answer = await host.call(konnector, 'POST', `/accounts/demo-photos/${id}/refresh`)
      expect(answer.status, `refresh ${count}`).to.equal(401)
    }
    const told = await until(async () => {
      const { notifications } = await host.adminJson('GET', '/notifications')
      const all = (notifications as { title: string; category_id: string }[]).filter(
        ({ category_id: about }) => about === id,
      )
      return all.length > 0 && all
    })
    expect(told.map(({ title }) => title)).to.deep.equal(['Demo photos has to be connected again'])
  })

  it('lists konnectors, and which of them can be connected (12)', async () => {
    const app = await host.appToken('home')
    await host.konnector('demo-bank')
    const answer = await host.call(app, 'GET', '/konnectors')
    expect(answer.status).to.equal(200)
    const { data } = answer.json<{ data: { attributes: { slug: string } }[] }>()
    expect(data.map(({ attributes }) => attributes)).to.deep.equal([
      { slug: 'demo-bank', name: 'Demo bank', account_types: [] },
      {
        slug: 'demo-photos',
        name: 'Demo photos',
        account_types: ['demo-photos'],
        oauth: { account_type: 'demo-photos', scope: ['photos.read'] },
      },
    ])
    const { token } = await host.connect('io.svc.accounts')
    const refusals = [await host.call('none', 'GET', '/konnectors')]
    refusals.push(await host.call(token, 'GET', '/konnectors'))
    for (const refusal of refusals) {
      expect(refusal.contentType).to.equal('application/vnd.api+json')
      expect(refusal.json<{ errors: unknown[] }>().errors).to.have.length(1)
    }
    expect(refusals.map(({ status }) => status)).to.deep.equal([401, 403])
    expect((await host.call(app, 'GET', '/konnectors?a=1&a=2')).status).to.equal(400)
  })

  it('prints no secret of the provider in its log', () => {
    expect(secrets(JSON.stringify(host.log))).to.deep.equal([])
  })
})

describe('the doctype of account types (3.3.1)', () => {
  let host: AccountHost

  before(async () => {
    host = await startAccountHost({ SVC_FLAGSHIP_SKIP_CERTIFICATION: 'on' })
  })
  after(() => host.stop())

  const VERBS = [
    ['GET', '/data/io.svc.account_types', 'unreadable'],
    ['GET', '/data/io.svc.account_types/demo-photos', 'unreadable'],
    ['POST', '/data/io.svc.account_types', 'unwritable'],
    ['PUT', '/data/io.svc.account_types/demo-photos', 'unwritable'],
    ['DELETE', '/data/io.svc.account_types/demo-photos', 'unwritable'],
  ] as const

  for (const [method, path, word] of VERBS) {
    it(`answers 403 to ${method} ${path} of every token, maximal ones too`, async () => {
      const { token: maximal } = await host.connect('*')
      const tokens = [maximal, await host.appToken('home'), await host.konnector('demo-photos')]
      for (const token of tokens) {
        const body = method === 'POST' || method === 'PUT' ? { _id: 'demo-photos' } : undefined
        const answer = await host.call(token, method, path, body)
        expect(answer.status).to.equal(403)
        expect(answer.text).to.include(`reserved doctype io.svc.account_types ${word}`)
      }
    })
  }
})
