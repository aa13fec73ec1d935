import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { relyingParty, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { testFolder } from '../support/for-test.ts'
import { type HostProcess, runSvc, spawnHost } from '../support/host-process.ts'

describe('svc', function () {
  this.timeout(60_000)
  let host: HostProcess

  before(async () => {
    host = await spawnHost({ env: { SVC_DEMO: 'off' } })
  })
  after(() => host.stop())

  async function json(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await host.svc(...args, '--json')
    expect(code, stderr).to.equal(0)
    return JSON.parse(stdout) as Record<string, unknown>
  }

  const words = (...args: readonly string[]): Promise<string> => host.words(...args)
  it('operates an instance from its creation to its end', async () => {
    const domain = 'alice.example.com'
    const created = await words(
      `instance create ${domain} --email alice@mail.example --public-name Alice`,
      ...'--locale fr --time-zone Europe/Paris --alias alice.example.org'.split(' '),
    )
    expect(created).to.match(
      /Created https:\/\/alice\.example\.com\n.*:\n {2}https:\S+registerToken=/,
    )
    expect(await words('instance', 'list')).to.match(/alice\.example\.com +active +no +alice@mail/)
    expect(await json('instance', 'show', 'alice.example.org')).to.deep.include({
      domain,
      aliases: ['alice.example.org'],
      locale: 'fr',
      timeZone: 'Europe/Paris',
      onboarded: false,
    })
    expect(await words('instance', 'onboarding-link', domain)).to.match(
      /registerToken=[0-9a-f]{32}\n$/,
    )
    expect(await words('mails', domain)).to.match(/Subject: Choisissez une phrase secrète/)
    expect(
      await words('instance', 'update', domain, '--oauth-clients-max', '5', '--block'),
    ).to.equal(`Changed ${domain}.\n`)
    expect(await json('instance', 'show', domain)).to.include({
      oauthClientsMax: 5,
      status: 'blocked',
    })
    await words('instance', 'update', domain, '--unblock', '--oauth-clients-max', '-1')

    expect(await words('app', 'list', domain)).to.match(/^home .*\nsafe .*\nsettings /m)
    expect(await words('app', 'uninstall', domain, 'home')).to.equal('Uninstalled home.\n')
    expect(await words('app', 'install', domain, 'home')).to.equal('Installed Home (home).\n')
    const folder = new URL('../../apps/home', import.meta.url).pathname
    expect(await json('app', 'install', domain, folder)).to.include({ slug: 'home' })

    const { token, cookie } = await json('token', 'app', domain, 'home')
    expect(String(token).split('.')).to.have.lengthOf(3)
    expect(cookie).to.match(/^svcsessid=/)
    expect(JSON.parse(await words('token', 'app', domain, 'home'))).to.have.all.keys(
      'token',
      'cookie',
    )

    expect(await words('client', 'list', domain)).to.equal('None.\n')
    expect(await words('assistant', 'list', domain)).to.equal('None.\n')
    expect(await words('assistant', 'end', domain, '--all')).to.equal('Ended 0.\n')
    expect((await host.svc('assistant', 'end', domain)).stderr).to.include('--all')
    expect((await host.svc('assistant', 'end', domain, 'nobody')).code).to.not.equal(0)
    expect(await words('keys', 'rotate', domain, '--revoke')).to.include(domain)
    expect(await words('instance', 'remove', domain)).to.equal(`Removed ${domain}.\n`)
  })

  it('keeps, lists and forgets documents of assistants', async () => {
    const dir = testFolder()
    const file = path.join(dir, 'quill.json')
    const url = 'https://quill.example/oauth/client.json'
    const document = {
      client_id: url,
      client_name: 'Quill',
      redirect_uris: ['https://quill.example/callback'],
    }
    expect(await words('assistant', 'list')).to.equal('None.\n')
    await writeFile(file, JSON.stringify({ ...document, client_id: `${url}x` }))
    const refused = await host.svc('assistant', 'add', url, '--file', file)
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('the document breaks the rule client_id')
    expect(
      (await host.svc('assistant', 'add', 'https://10.0.0.1/c', '--file', file)).stderr,
    ).to.include('the address breaks the rule host')
    expect((await host.svc('assistant', 'add', url)).code).to.not.equal(0)
    await writeFile(file, JSON.stringify(document))
    expect(await words('assistant', 'add', url, '--file', file)).to.equal(
      `Kept the document of Quill, ${url}.\n`,
    )
    const { documents } = await json('assistant', 'list')
    expect(documents).to.have.length(1)
    expect((documents as Record<string, unknown>[])[0]).to.include({ url, name: 'Quill' })
    expect(await words('assistant', 'list')).to.include(url)
    expect(await words('assistant', 'remove', url)).to.equal('Removed.\n')
    expect((await host.svc('assistant', 'remove', url)).code).to.equal(1)
    expect(await words('assistant', 'list')).to.equal('None.\n')
  })

  it('imports owners, all or none, and again without a change', async function () {
    this.timeout(timeBudget(60_000))
    const dir = testFolder()
    const file = path.join(dir, 'owners.jsonl')
    const email = 'one@mail.example'
    const hash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'
    const lines = [
      { externalId: 'user:1', domain: 'one.example.com', email },
      {
        externalId: 'user:2',
        domain: 'two.example.com',
        email,
        passphrase: { over: 'passphrase', hash },
      },
    ]
    const write = (...rows: object[]) =>
      writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    await write(...lines, { externalId: 'user:3', domain: 'no domain', mail: email })
    const refused = await host.svc('owner', 'import', file)
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('line 3: email is missing').and.include('line 3: mail is')
    await write(...lines)
    expect(await words('owner', 'import', file, '--dry-run')).to.equal(
      'Would create 2, and leave 0 as they are.\n',
    )
    const first = await words('owner', 'import', file)
    expect(first).to.match(/^Created 2, left 0 .*\n.*\n {2}user:1 {2}https:\S+registerToken=\S+\n$/)
    const again = await words('owner', 'import', file)
    expect(again).to.equal(first.replace('Created 2, left 0', 'Created 0, left 2'))
    expect(await words('app', 'list', 'two.example.com')).to.match(/^settings /m)
  })

  it('certifies clients, and prints tokens of clients and konnectors', async () => {
    const domain = 'carol.example.com'
    await words('instance', 'create', domain)
    const issuer = `https://${domain}`
    const party = relyingParty({ issuer, port: host.port, metadata: { client_name: 'Mine' } })
    const { client_id: id } = await party.register()
    expect(await words('client', 'certify', domain, id)).to.equal('Mine is certified.\n')
    expect(await json('client', 'show', domain, id)).to.include({ flagship: true })
    expect(await words('token', 'oauth', domain, id, '*')).to.match(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect(await json('token', 'oauth', domain, id, 'io.svc.files:GET')).to.include({
      scope: 'io.svc.files:GET',
    })
    expect(await words('client', 'certify', domain, id, '--withdraw')).to.equal(
      'Mine is not certified any more.\n',
    )
    const refused = await host.svc('token', 'oauth', domain, id, '*')
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('the client is not certified')

    expect(await words('konnector', 'install', domain, 'demo-bank')).to.equal(
      'Installed demo-bank.\n',
    )
    expect(await words('konnector', 'list', domain)).to.match(/^demo-bank/m)
    expect(await words('token', 'konnector', domain, 'demo-bank')).to.match(
      /^[\w-]+\.[\w-]+\.[\w-]+\n$/,
    )
    expect(await words('konnector', 'uninstall', domain, 'demo-bank')).to.equal(
      'Uninstalled demo-bank.\n',
    )
    const gone = await host.svc('token', 'konnector', domain, 'demo-bank')
    expect(gone.code).to.equal(1)
    await words('instance', 'remove', domain)
  })

  it('makes codes and switches ways to log in', async () => {
    const domain = 'bob.example.com'
    const mail = ['--email', 'bob@mail.example']
    expect(await words('instance', 'create', domain, '--magic-link', ...mail)).to.equal(
      `Created https://${domain}\n`,
    )
    expect(await json('instance', 'show', domain)).to.include({
      onboarded: true,
      auth_mode: 'basic',
      magic_link: true,
    })
    for (const command of ['session-code', 'magic-code', 'email-verified-code']) {
      expect(await words(command, domain), command).to.match(/^[A-Za-z0-9]{32}\n$/)
    }
    const link = await json('magic-code', domain)
    expect(link['url']).to.equal(
      `https://${domain}/auth/magic_link?code=${String(link['magic_code'])}`,
    )

    const carol = 'carol.example.com'
    await words('instance', 'create', carol, '--passphrase', 'correct horse', ...mail)
    const update = ['instance', 'update', carol]
    await words(...update, '--auth-mode', 'two_factor_mail', '--magic-link', 'on')
    expect(await words('instance', 'show', carol)).to.match(
      /^auth_mode: two_factor_mail\nmagic_link: true\n/m,
    )
    await words(...update, '--auth-mode', 'basic', '--magic-link', 'off')
    expect(await json('instance', 'show', carol)).to.include({
      auth_mode: 'basic',
      magic_link: false,
    })
    const reset = ['instance', 'reset-passphrase', carol]
    expect(await words(...reset)).to.match(
      /^The passphrase of carol\.example\.com is changed\. .*\n.*\n {2}([a-z2-9]{4}-){3}[a-z2-9]{4}\n$/,
    )
    expect(await json(...reset, '--passphrase', 'correct horse')).to.deep.equal({ domain: carol })
    const refused = await host.svc('magic-code', carol)
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.equal('magic links are not enabled\n')
  })

  const refusals: [string, string[], RegExp][] = [
    ['a mode that is none', ['instance', 'update', 'a', '--auth-mode', 'x'], /Allowed choices/],
    ['a code for nobody', ['session-code', 'nobody.example.com'], /^instance not found\n$/],
    ['an unknown instance', ['instance', 'show', 'nobody.example.com'], /^instance not found\n$/],
    ['an unknown client', ['client', 'revoke', 'nobody.example.com', 'x'], /instance not found/],
    ['a domain that is none', ['instance', 'create', 'a b'], /malformed domain/],
    [
      'a number that is none',
      ['instance', 'update', 'a', '--oauth-clients-max', 'x'],
      /whole number/,
    ],
    ['an unknown command', ['certify'], /unknown command/],
  ]
  for (const [what, args, message] of refusals) {
    it(`ends with 1 and a sentence for ${what}`, async () => {
      const { code, stdout, stderr } = await host.svc(...args)
      expect(code).to.equal(1)
      expect(stderr).to.match(message)
      expect(stderr).to.not.include('    at ')
      expect(stdout).to.equal('')
    })
  }

  it('says where it looked when no server answers', async () => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      SVC_ADMIN_URL: 'http://127.0.0.1:1',
      SVC_DATA_DIR: host.dataDir,
    }
    const { code, stderr } = await runSvc(['instance', 'list'], env)
    expect(code).to.equal(1)
    expect(stderr).to.include('does not answer at http://127.0.0.1:1')
    const elsewhere = await runSvc(['instance', 'list'], { ...env, SVC_DATA_DIR: '/nowhere' })
    expect(elsewhere.stderr).to.include('There is no admin token in /nowhere/admin-token')
  })
})
