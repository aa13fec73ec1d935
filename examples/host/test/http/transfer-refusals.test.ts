import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { expect } from 'chai'
import { bytesOf, openExport } from '../support/moving-owner.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

interface Line {
  [name: string]: unknown
  k?: string
  d?: { [name: string]: unknown }
}

describe('an import that is refused', function () {
  this.timeout(60_000)
  let old: TestHost
  let next: TestHost
  let identity: string
  let recipient: string
  let lines: readonly string[]

  before(async () => {
    identity = await generateIdentity()
    recipient = await identityToRecipient(identity)
    old = await startTestHost({}, 'moved.example.net')
    next = await startTestHost({ SVC_LIMITS_DISK: '2000000' }, 'next.example.com')
    await old.connect('io.svc.files:GET')
    const chunks = old.host.app.oauth.transfer.exportInstance(old.instance.id, {
      key: { recipients: [recipient] },
    })
    lines = await openExport(await bytesOf(chunks), identity)
  })
  after(async () => {
    await old?.stop()
    await next?.stop()
  })

  /** The export with other lines, whose counts and digest are right again. */
  async function forged(change: (entries: Line[]) => void): Promise<Uint8Array> {
    const entries = lines.slice(0, -1).map((line) => JSON.parse(line) as Line)
    change(entries)
    const [header, ...rest] = entries.map((entry) => `${JSON.stringify(entry)}\n`)
    const wakeUps = entries.filter((entry) => 'w' in entry).length
    const sha256 = createHash('sha256').update(rest.join('')).digest('hex')
    const trailer = { records: rest.length - wakeUps, sha256, wakeUps }
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    return encrypter.encrypt(gzipSync(`${header}${rest.join('')}${JSON.stringify(trailer)}\n`))
  }

  async function outcome(file: Uint8Array, query = ''): Promise<{ code: string; text: string }> {
    const key = Buffer.from(JSON.stringify({ identities: [identity] })).toString('base64url')
    const headers = {
      authorization: `Bearer ${next.config.adminToken}`,
      'content-type': 'application/octet-stream',
      'svc-import-key': key,
    }
    const base = `http://127.0.0.1:${next.host.adminPort}/imports`
    const begun = await fetch(`${base}${query}`, {
      method: 'POST',
      headers,
      body: Buffer.from(file),
    })
    const { import: id } = (await begun.json()) as { readonly import: string } // as the route answers
    for (;;) {
      const answer = await fetch(`${base}/${id}`, { headers })
      const text = await answer.text()
      const { state, code } = JSON.parse(text) as {
        readonly state?: string
        readonly code?: string
      }
      if (state !== 'running') return { code: code ?? state ?? '', text }
    }
  }

  const ofKind = (entries: Line[], kind: string): Line => {
    const found = entries.find(({ k }) => k?.startsWith(`${kind}:`) === true)
    if (found === undefined) throw new Error(`no ${kind}`)
    return found
  }

  /** Nothing of the file is here. */
  async function isAway(): Promise<boolean> {
    for await (const entry of next.host.store.dump()) {
      const name = entry.type === 'wake-up' ? entry.id : entry.key
      if (name.includes(old.instance.id)) return false
    }
    return true
  }

  type Change = (entries: Line[]) => void
  const REFUSALS: readonly (readonly [of: string, code: string, says: string, change: Change])[] = [
    [
      'a newer version of the format',
      'export_too_new',
      'This file has version 2 of svc-instance, and was written by svc 9.0.0; this server knows 1.',
      ([header]) => Object.assign(header ?? {}, { version: 2, product: 'svc 9.0.0' }),
    ],
    [
      'a newer version of a kind',
      'export_too_new',
      'version 7 of \\"client\\"',
      ([header]) => Object.assign(header?.['kinds'] as object, { client: 7 }),
    ],
    [
      'a kind that nobody declares',
      'export_too_new',
      'records of the kind \\"riddle\\"',
      ([header]) => Object.assign(header?.['kinds'] as object, { riddle: 1 }),
    ],
    [
      'a record of a kind that nobody declares',
      'export_damaged',
      'records of the kind \\"riddle\\" are in no export',
      (entries) => Object.assign(ofKind(entries, 'client'), { k: 'riddle:1' }),
    ],
    [
      'a record that lives for minutes and is in no export',
      'export_damaged',
      'are in no export',
      (entries) => Object.assign(ofKind(entries, 'client'), { k: 'login-challenge:1' }),
    ],
    [
      'a value that breaks its schema',
      'export_damaged',
      'a record of the kind \\"owner\\" is malformed',
      (entries) => Object.assign(ofKind(entries, 'owner').d ?? {}, { securityStamp: 7 }),
    ],
    [
      'an instance that is another than the file says',
      'export_damaged',
      'it has no instance',
      (entries) => Object.assign(ofKind(entries, 'instance').d ?? {}, { id: 'x'.repeat(22) }),
    ],
    [
      'a wake-up of another instance',
      'export_damaged',
      'a wake-up is not of the instance',
      (entries) => void entries.push({ w: ['notify.due', `${'x'.repeat(22)}:1`, 1] }),
    ],
    [
      'doctypes of another namespace',
      'import_refused',
      'net.example',
      ([header]) => Object.assign(header ?? {}, { namespace: 'net.example' }),
    ],
    [
      'more than the quota here',
      'import_refused',
      'and may keep 2000000 here. Raise SVC_LIMITS_DISK',
      (entries) => {
        const at = entries.findIndex((entry) => 'k' in entry && String(entry.k) > 'document:')
        const d = { type: 'io.svc.files', id: 'a', fields: { text: 'x'.repeat(3_000_000) } }
        entries.splice(at, 0, { k: 'document:io.svc.files/a', v: 1, i: [], d })
      },
    ],
  ]
  for (const [of, code, says, change] of REFUSALS) {
    it(`names ${of}, and leaves nothing`, async () => {
      const refused = await outcome(await forged(change))
      expect(refused.code, refused.text).to.equal(code)
      expect(refused.text).to.include(says)
      expect(await isAway()).to.equal(true)
    })
  }

  it('keeps an owner whose only second factor is a passkey, without recovery codes, on the domain', async () => {
    const passkeys = [
      {
        id: 'p'.repeat(22),
        publicKey: 'k'.repeat(40),
        counter: 0,
        transports: [],
        label: 'Key',
        createdAt: 1,
      },
    ]
    const withPasskey = (recovery: object) => (entries: Line[]) => {
      Object.assign(ofKind(entries, 'owner').d ?? {}, { factors: { passkeys, ...recovery } })
    }
    const query = '?domain=elsewhere.example.org&dry_run=true'
    const refused = await outcome(await forged(withPasskey({})), query)
    expect(refused.code, refused.text).to.equal('import_refused')
    expect(refused.text).to.include('Passkeys are the only second factor of this owner')
    const codes = { recovery: { hashes: ['x'], createdAt: 1 } }
    expect((await outcome(await forged(withPasskey(codes)), query)).code).to.equal('done')
    expect((await outcome(await forged(withPasskey({})), '?dry_run=true')).code).to.equal('done')
  })
})
