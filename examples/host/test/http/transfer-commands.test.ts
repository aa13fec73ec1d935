import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { verifyFile } from '@svc/activity'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { type HostProcess, spawnHost } from '../support/host-process.ts'
import { openExport } from '../support/moving-owner.ts'

const DOMAIN = 'alice.example.com'

describe('svc instance export, import and unfreeze', function () {
  this.timeout(60_000)
  let host: HostProcess
  let file: string
  let identityFile: string
  let recipient: string
  let identity: string

  before(async () => {
    host = await spawnHost({ env: { SVC_DEMO: 'off', SVC_LOG_LEVEL: 'info' } })
    identity = await generateIdentity()
    recipient = await identityToRecipient(identity)
    file = path.join(host.dataDir, 'alice.age')
    identityFile = path.join(host.dataDir, 'identity.txt')
    await writeFile(identityFile, `# made by age-keygen\n${identity}\n`, { mode: 0o600 })
    await words('instance', 'create', DOMAIN, '--passphrase', 'correct horse battery staple')
  })
  after(() => host.stop())

  const words = (...args: readonly string[]): Promise<string> => host.words(...args)
  const refusal = (...args: readonly string[]): Promise<string> => host.refusal(...args)
  it('carries an instance away and back', async () => {
    expect(await refusal('instance', 'export', DOMAIN, '--to', file)).to.include('--recipient')
    const to = ['--to', file, '--recipient', recipient]
    const exported = await words('instance', 'export', DOMAIN, ...to, '--move')
    expect(exported).to.include(`Wrote ${file}.`).and.to.include('is frozen')
    expect((await openExport(await readFile(file), identity))[0]).to.include('"version":1')

    expect(await refusal('instance', 'unfreeze', DOMAIN)).to.include('--force')
    const opens = ['--identity-file', identityFile]
    expect(await refusal('instance', 'import', file, ...opens)).to.include('--replace')
    await words('instance', 'remove', DOMAIN)
    const tried = await words('instance', 'import', file, ...opens, '--dry-run')
    expect(tried).to.include('whole and can be imported')
    expect(await words('instance', 'list')).not.to.include(DOMAIN)
    const imported = await words('instance', 'import', file, ...opens)
    expect(imported).to.include(`Imported ${DOMAIN}`)
    // The seals of its record are those of this server now.
    expect(imported).to.match(/The record of activity is unbroken: [1-9]/)
    expect(await words('instance', 'list')).to.match(/alice\.example\.com +active +yes/)
  })

  it('verifies and exports the record of activity', async () => {
    expect(await words('activity', 'verify', DOMAIN)).to.match(/unbroken: [1-9]\d* entries/)
    const record = path.join(host.dataDir, 'activity.jsonl')
    expect(await words('activity', 'export', DOMAIN, '--to', record)).to.include(`Wrote ${record}.`)
    const found = await verifyFile(record)
    expect(found).to.include({ domain: DOMAIN })
    expect(found.fault).to.equal(undefined)
    const last = (await readFile(record, 'utf8')).trimEnd().split('\n').at(-2)
    expect(last).to.include('"record.exported"').and.to.include('"operator"')
    // What is there is not written over.
    expect(await refusal('activity', 'export', DOMAIN, '--to', record)).to.include('EEXIST')
  })

  it('asks before a new domain ends what hangs on the old one', async () => {
    await words('token', 'app', DOMAIN, 'home') // opens a session
    const passphrase = path.join(host.dataDir, 'passphrase')
    await writeFile(passphrase, 'a passphrase of the operator\n')
    const opens = ['--passphrase-file', passphrase]
    await words('instance', 'export', DOMAIN, '--to', `${file}.2`, ...opens)
    await words('instance', 'remove', DOMAIN)
    const moved = ['instance', 'import', `${file}.2`, ...opens, '--domain', 'alice.example.org']
    const asked = await refusal(...moved)
    expect(asked).to.include('sessions (1)').and.to.include('Agree with --yes')
    expect(await words(...moved, '--yes')).to.include('Imported alice.example.org')
    expect(await words('instance', 'list')).to.match(/alice\.example\.org +active/)
    expect(await refusal('instance', 'import', '--abort', 'alice.example.org')).to.include(
      'No import',
    )
  })

  it('leaves no file of an export that is refused, and none of an import', async () => {
    const refused = await refusal(
      `instance export nobody.example.com --to ${file}.3 --recipient ${recipient}`,
    )
    expect(refused).not.to.equal('')
    const wrong = await refusal(
      `instance export alice.example.org --to ${file}.3 --recipient age1x`,
    )
    expect(wrong).to.include('no recipient of age')
    const left = await readdir(host.dataDir)
    expect(left.filter((name) => /\.part$|^import-|\.3$/.test(name))).to.deep.equal([])
  })
})
