import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { browserClient, relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { suiteFolder } from '../support/for-test.ts'
import {
  type CommandResult,
  hostEnvironment,
  type HostProcess,
  runSvc,
  spawnHost,
} from '../support/host-process.ts'

describe('svc backup', function () {
  this.timeout(120_000)
  const domain = 'alice.example.com'
  const issuer = `https://${domain}`
  const folder = suiteFolder()
  let dataDir: string
  let backups: string
  let env: Record<string, string>

  before(async () => {
    dataDir = path.join(folder, 'data')
    backups = path.join(folder, 'backups')
    env = { SVC_DEMO: 'off' }
  })

  let running: HostProcess | undefined
  const start = async (): Promise<HostProcess> => {
    running = await spawnHost({ dataDir, env })
    return running
  }
  afterEach(() => running?.stop())

  async function good(result: Promise<CommandResult>): Promise<string> {
    const { code, stdout, stderr } = await result
    expect(code, `${stdout}${stderr}`).to.equal(0)
    return stdout
  }

  /** A command while no server runs. */
  const alone = (...args: string[]): Promise<CommandResult> =>
    runSvc(
      args,
      hostEnvironment({ ...env, SVC_DATA_DIR: dataDir, SVC_ADMIN_URL: 'http://127.0.0.1:9' }),
    )

  async function create(host: HostProcess, ...args: string[]): Promise<string> {
    const answer = await good(host.svc('backup', 'create', '--to', backups, ...args, '--json'))
    return (JSON.parse(answer) as { readonly file: string }).file
  }

  it('brings a stopped server back to a backup, ends what was open, and tells the owner', async () => {
    let host = await start()
    await good(
      host.svc(
        'instance',
        'create',
        domain,
        '--email',
        'alice@mail.example',
        '--passphrase',
        'correct horse',
      ),
    )
    const party = relyingParty({
      issuer,
      port: host.port,
      metadata: { client_name: 'Notes on my phone' },
    })
    const { client_id: id } = await party.register()
    await good(host.svc('client', 'certify', domain, id))
    const token = (await good(host.svc('token', 'oauth', domain, id, '*'))).trim()
    const { cookie } = JSON.parse(await good(host.svc('token', 'app', domain, 'settings'))) as {
      readonly cookie: string
    }
    const browser = browserClient({ base: issuer, port: host.port })
    browser.plantCookie(`${cookie}; Path=/; Domain=${domain}; Secure`, issuer)
    expect((await browser.get('/auth/login')).status, 'logged in').to.equal(302)
    const bearer = { headers: { authorization: `Bearer ${token}` } }
    const known = await browser.get('/data/io.svc.notes/none', bearer)
    expect(known.status, 'the access token').to.equal(404)

    const file = await create(host)
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    expect(readdirSync(backups).toSorted()).to.deep.equal(
      [path.basename(file), path.basename(file).replace('.db', '.json')].toSorted(),
    )
    expect(await good(host.svc('backup', 'verify', file))).to.include(
      'can be restored: 1 instances',
    )
    const metrics = await good(host.svc('doctor', '--offline', '--json')).catch(String)
    expect(metrics).to.include('The last verified backup is 0 h old.')

    // Since then the owner changed her mind.
    await good(host.svc('client', 'revoke', domain, id))
    const refused = await host.svc('backup', 'restore', file)
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.include('The server runs. Stop it')
    expect(await host.stop()).to.equal(0)

    expect(await good(alone('backup', 'restore', file))).to.include('every owner is told')
    expect(
      readdirSync(dataDir).some((name) => name.startsWith('store.db.before-restore-')),
    ).to.equal(true)
    host = await start()
    expect(host.log.map(({ event }) => event)).to.include('store.restored')
    const after = browserClient({ base: issuer, port: host.port })
    after.plantCookie(`${cookie}; Path=/; Domain=${domain}; Secure`, issuer)
    expect((await after.get('/auth/login')).status, 'the old cookie').to.equal(200)
    const data = await after.get('/data/io.svc.notes/none', bearer)
    expect(data.status, 'the old access token').to.equal(401)
    expect(await good(host.svc('client', 'list', domain))).to.include('Notes on my phone')
    const settings = JSON.parse(await good(host.svc('token', 'app', domain, 'settings'))) as {
      readonly token: string
      readonly cookie: string
    }
    after.plantCookie(`${settings.cookie}; Path=/; Domain=${domain}; Secure`, issuer)
    const asApp = { headers: { authorization: `Bearer ${settings.token}` } }
    const notice = await after.get('/settings/restored', asApp)
    expect(notice.status, notice.text).to.equal(200)
    const told = JSON.parse(notice.text) as {
      readonly data: readonly { readonly attributes: object }[]
    }
    expect(told.data[0]?.attributes).to.deep.include({ returned: ['Notes on my phone'] })
    let mails = ''
    while (!mails.includes('was restored from a backup'))
      mails = await good(host.svc('mails', domain))
    expect(mails).to.include('Access that you removed after that date may be back')
    expect(await host.stop()).to.equal(0)
  })

  it('never writes into the folder of the sealing keys', async () => {
    const host = await start()
    const { code, stderr } = await host.svc('backup', 'create', '--to', dataDir)
    expect(code).to.equal(1)
    expect(stderr).to.include('holds the sealing keys')
    expect(await host.stop()).to.equal(0)
  })

  it('encrypts to a recipient of age, whose identity opens it again', async () => {
    const host = await start()
    const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
    const identity = await generateX25519Identity()
    const identityFile = path.join(folder, 'identity')
    await writeFile(identityFile, `# mine\n${identity}\n`)
    const file = await create(host, '--recipient', await identityToRecipient(identity))
    expect(file).to.match(/\.db\.age$/)
    expect((await readFile(file, 'latin1')).startsWith('age-encryption.org/v1')).to.equal(true)
    const closed = await host.svc('backup', 'verify', file)
    expect(closed.code).to.equal(1)
    expect(closed.stderr).to.include('--identity-file')
    await good(host.svc('backup', 'verify', file, '--identity-file', identityFile))
    expect(readdirSync(backups).filter((name) => name.includes('unfinished'))).to.deep.equal([])
    expect(await host.stop()).to.equal(0)
    await good(alone('backup', 'restore', file, '--identity-file', identityFile, '--same-instant'))
    expect(existsSync(path.join(dataDir, 'store.db.restoring'))).to.equal(false)
    const again = await start()
    expect(again.log.map(({ event }) => event)).to.not.include('store.restored')
    expect(await again.stop()).to.equal(0)
  })

  it('keeps the newest of each period, and says what it removed', async () => {
    const host = await start()
    const old = path.join(backups, 'svc-20200101T000000Z.db')
    await writeFile(old, 'old')
    await writeFile(old.replace('.db', '.json'), '{}')
    const answer = await good(host.svc('backup', 'create', '--to', backups, '--keep', '1d'))
    expect(answer).to.include(`Removed ${old}.`)
    expect(existsSync(old)).to.equal(false)
    expect(readdirSync(backups).filter((name) => name.startsWith('svc-'))).to.have.lengthOf(2)
    expect(await host.stop()).to.equal(0)
  })

  it('needs no server for verification, and says that none knows of it', async () => {
    const [name = ''] = readdirSync(backups).filter((one) => one.endsWith('.db'))
    const { code, stderr } = await alone('backup', 'verify', path.join(backups, name))
    expect(code).to.equal(0)
    expect(stderr).to.include('does not know of this verification')
    expect(readFileSync(path.join(backups, name)).subarray(0, 6).toString()).to.equal('SQLite')
  })
})
