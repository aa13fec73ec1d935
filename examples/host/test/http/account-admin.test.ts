import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openProvider, type Provider, until } from '@svc/testkit'
import { expect } from 'chai'
import { type AccountHost, startAccountHost } from '../support/account-host.ts'
import { suiteFolder, testProcess } from '../support/for-test.ts'
import { hostEnvironment, type HostProcess, spawnHost } from '../support/host-process.ts'

type Body = Readonly<Record<string, unknown>>

describe('account types over the admin listener (connectors.md 3.2.3)', () => {
  let host: AccountHost

  before(async () => {
    host = await startAccountHost()
  })
  after(() => host.stop())

  async function ask(method: string, id: string, body?: unknown): Promise<[number, Body, string]> {
    const at = id === '' ? '' : `/${encodeURIComponent(id)}`
    const answer = await host.admin(method, `/admin/account_types${at}`, body)
    const text = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    return [answer.status, text === '' ? {} : (JSON.parse(text) as Body), type]
  }

  const entry = {
    slug: 'bank',
    preset: 'google',
    grant_mode: 'authorization_code+secret',
    client_id: 'c',
    client_secret: 'hidden-1',
    secret: { key: 'hidden-2' },
    push_credentials: { token: 'hidden-3' },
  }
  const masked = { client_secret: true, secret: true, push_credentials: true }

  it('answers 201 to a new one and 200 to another in its place, secrets as true', async () => {
    const [status, body] = await ask('PUT', 'bank', entry)
    expect(status).to.equal(201)
    expect(body).to.deep.equal({ ...entry, ...masked, _id: 'bank' })
    const [again, other] = await ask('PUT', 'bank', { ...entry, _id: 'bank', client_id: 'd' })
    expect(again).to.equal(200)
    expect(other).to.deep.include({ client_id: 'd', client_secret: true })
  })

  it('lists them without secrets, and removes one: 204, then 404', async () => {
    await ask('PUT', 'work/bank', entry)
    const [status, { account_types: types }] = await ask('GET', '')
    expect(status).to.equal(200)
    expect(JSON.stringify(types)).to.include('"work/bank"').and.not.include('hidden')
    expect((await ask('DELETE', 'work/bank'))[0]).to.equal(204)
    expect((await ask('DELETE', 'work/bank'))[0]).to.equal(404)
  })

  it('answers 422 with one error for each field that is wrong (2.2.4)', async () => {
    const wrong = { grant_mode: 'implicit', token_endpoint: 'https://a.example/#x', client_id: 'c' }
    const [status, body, type] = await ask('PUT', 'wrong', wrong)
    expect(status).to.equal(422)
    expect(type).to.match(/^application\/vnd\.api\+json/)
    const errors = body['errors'] as { status: string; code: string; source: { pointer: string } }[]
    expect(errors.map(({ source }) => source.pointer)).to.include.members([
      '/grant_mode',
      '/token_endpoint',
    ])
    expect(errors.every((each) => each.status === '422' && each.code !== '')).to.equal(true)
  })

  it('answers 400 to an entry of another id than the path, and 401 without the token', async () => {
    expect((await ask('PUT', 'bank', { ...entry, _id: 'other' }))[0]).to.equal(400)
    const bare = `http://127.0.0.1:${host.host.adminPort}/admin/account_types`
    expect((await fetch(bare)).status).to.equal(401)
  })
})

describe('accounts over the admin listener', () => {
  let host: AccountHost

  before(async () => {
    host = await startAccountHost()
    await host.adminJson('POST', '/konnectors', { slug: 'demo-photos' }, 201)
  })
  after(() => host.stop())

  it('lists, refreshes and removes them, and ends them at the provider', async () => {
    const id = await host.connectAccount()
    const { accounts } = await host.adminJson('GET', '/accounts')
    expect(JSON.stringify(accounts)).to.include(id).and.not.include('_encrypted')
    const calls = host.provider.requestsOf('token').length
    const fresh = await host.adminJson('POST', `/accounts/${id}/refresh`, {})
    expect(fresh['oauth']).to.include({ refresh_seq: 1 })
    expect(fresh['oauth']).to.not.have.property('access_token')
    expect(host.provider.requestsOf('token')).to.have.length(calls + 1)
    await host.adminJson('DELETE', `/accounts/${id}`, undefined, 204)
    expect(host.provider.requestsOf('revoke')).to.have.length(1)
    await host.adminJson('DELETE', `/accounts/${id}`, undefined, 404)
    await host.adminJson('POST', `/accounts/${id}/refresh`, {}, 404)
    const metrics = await (await host.admin('GET', '/metrics')).text()
    // The exchange, the refresh and the revocation.
    expect(metrics).to.match(/^svc_provider_calls_total\{type="demo-photos",class="ok"\} 3$/m)
  })

  it('gives the fields that a konnector runs with', async () => {
    const id = await host.connectAccount()
    const { account, fields } = await host.adminJson('POST', '/konnectors/demo-photos/fields')
    expect(account).to.equal(id)
    expect(fields).to.include({ token_type: 'Bearer' }).and.have.property('access_token')
    await host.adminJson('POST', '/konnectors/demo-photos/fields', { account: 'absent' }, 404)
    await host.adminJson('POST', '/konnectors/demo-bank/fields', {}, 404)
  })

  it('forgets what is planned when the instance is removed', async () => {
    const id = await host.connectAccount()
    await host.host.app.oauth.instances.remove(host.instance.id)
    const gone = host.log.filter(
      ([event, fields]) => event === 'account.disconnected' && fields?.['accountId'] === id,
    )
    expect(gone).to.have.length(1)
  })
})

describe('svc account-type, account and dev-provider', function () {
  this.timeout(60_000)
  const domain = 'alice.example.com'
  let host: HostProcess
  let provider: Provider
  const folder = suiteFolder()
  let typesFile: string

  before(async () => {
    provider = await openProvider()
    typesFile = path.join(folder, 'types.json')
    host = await spawnHost({ env: { SVC_DEMO: 'off' } })
    await words('instance', 'create', domain, '--email', 'alice@mail.example')
  })
  after(async () => {
    await host?.stop()
    await provider?.close()
  })

  const words = (...args: readonly string[]): Promise<string> => host.words(...args)
  const entry = (): Body => ({
    ...provider.entry,
    slug: 'demo-photos',
    grant_mode: 'refresh_token',
    trusted_network: true,
  })

  async function file(content: string): Promise<string> {
    const name = path.join(folder, `${Math.random()}.txt`)
    await writeFile(name, content)
    return name
  }

  it('puts a type, imports an account whose token comes from a file, refreshes and removes it', async () => {
    const type = await file(JSON.stringify(entry()))
    expect(await words('account-type', 'put', 'demo-photos', type)).to.match(/^Stored/)
    expect(await words('account-type', 'list')).to.match(/demo-photos +demo-photos +refresh_token/)

    const { refreshToken } = provider.grants.issue('client-1', 'photos.read')
    const token = await file(`${refreshToken}\n`)
    const imported = await words(
      `account import ${domain} demo-photos --token-file ${token} --name Mine`,
    )
    const id = /Imported the account (\w+)\./.exec(imported)?.[1] ?? ''
    expect(await words('account', 'refresh', domain, id)).to.match(/works until 20/)
    expect(await words('account', 'list', domain)).to.match(
      new RegExp(`${id} +demo-photos +connected`),
    )
    expect(await words('account', 'remove', domain, id)).to.equal(`Removed ${id}.\n`)
    expect(await words('account', 'list', domain)).to.equal('None.\n')
    expect(await words('account-type', 'remove', 'demo-photos')).to.match(/^Removed/)
  })

  it('says every fault of a type in words', async () => {
    const wrong = await file(JSON.stringify({ ...entry(), token_mode: 'pigeon', pkce: 'maybe' }))
    const { code, stderr } = await host.svc('account-type', 'put', 'wrong', wrong)
    expect(code).to.equal(1)
    expect(stderr).to.include('- token_mode:').and.include('- pkce:')
    expect(stderr).to.not.include(String(provider.entry.client_secret))
  })

  it('reads types from a file, again at SIGHUP, and keeps the last good ones', async () => {
    await writeFile(typesFile, JSON.stringify([{ ...entry(), _id: 'one' }]))
    const other = await testProcess({ env: { SVC_DEMO: 'off', SVC_ACCOUNT_TYPES_FILE: typesFile } })
    const list = async (): Promise<string> => (await other.svc('account-type', 'list')).stdout
    async function reload(content: string): Promise<void> {
      await writeFile(typesFile, content)
      const count = other.log.filter(({ event }) => event === 'server.reloaded').length
      process.kill(other.pid, 'SIGHUP')
      await until(() => other.log.filter(({ event }) => event === 'server.reloaded').length > count)
    }
    expect(await list()).to.match(/^one /m)
    await reload(JSON.stringify([{ ...entry(), _id: 'two' }]))
    expect(await list())
      .to.match(/^two /m)
      .and.not.match(/^one /m)
    await reload('[{')
    expect(await list()).to.match(/^two /m)
    const put = await other.svc('account-type', 'remove', 'two')
    expect(put.stderr).to.include('come from a file')
  })

  it('does not start with a file of types that cannot be used', async () => {
    await writeFile(typesFile, '[{"_id":"A type"}]')
    const started = await spawnHost({
      env: { SVC_DEMO: 'off', SVC_ACCOUNT_TYPES_FILE: typesFile },
    }).then(
      () => 'started',
      (error: Error) => error.message,
    )
    expect(started).to.include('SVC_ACCOUNT_TYPES_FILE: cannot be used')
  })

  it('runs the provider for development and puts its type into the server', async () => {
    const args = ['--conditions=source', 'src/cli.ts', 'dev-provider', '--port', '0']
    const child = spawn(process.execPath, args, {
      cwd: new URL('../..', import.meta.url).pathname,
      env: hostEnvironment({
        SVC_DATA_DIR: host.dataDir,
        SVC_ADMIN_URL: `http://127.0.0.1:${host.adminPort}`,
      }),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    try {
      let said = ''
      // An iterator, since between two listeners a part would be lost.
      for await (const part of child.stdout) {
        said += String(part)
        if (said.includes('/grants')) break
      }
      expect(said).to.include('demo-photos is in the server')
      expect(said).to.not.include('client_secret')
      const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? ['']
      expect(await words('account-type', 'list')).to.include(`${origin}/authorize`)
    } finally {
      child.kill()
      await ended
    }
  })
})
