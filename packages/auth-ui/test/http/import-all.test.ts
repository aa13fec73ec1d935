import { generateSync } from 'otplib'
import { createOAuth } from '@svc/oauth-core'
import { StoreUnavailableError } from '@svc/store'
import { eachStore, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { OwnerImportError, type OwnerLine } from '../../src/index.ts'
import { deriveLoginValue } from '../../src/passphrase/derive.ts'
import { JSON_ONLY, ownerOf, passStep2 } from '../support/second-step.ts'
import { withMember } from '../support/noted-events.ts'
import { softwareAuthenticator } from '../support/software-authenticator.ts'
import { startUi, type UiServer } from '../support/ui-server.ts'

// As the file has it.
const VECTORS = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../support/foreign-hashes.json'), 'utf8'),
) as readonly { readonly tool: string; readonly passphrase: string; readonly hash: string }[]
const PBKDF2 = VECTORS.find(({ tool }) => tool === 'passlib 1.7.4, pbkdf2_sha256')
if (PBKDF2 === undefined) throw new Error('no vector')
const { hash, passphrase } = PBKDF2
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

function lineOf(n: number, more: Partial<OwnerLine> = {}): OwnerLine {
  return {
    externalId: `user:${n}`,
    domain: `owner-${n}.example.com`,
    email: `owner-${n}@mail.example`,
    publicName: `Owner ${n}`,
    ...(n % 2 === 0 && { passphrase: { over: 'passphrase', hash } }),
    ...more,
  }
}

async function* textOf(lines: readonly (OwnerLine | object | string)[]): AsyncGenerator<string> {
  for (const line of lines) yield typeof line === 'string' ? line : JSON.stringify(line)
}

eachStore((open) => {
  describe('owners who are imported many at a time', function () {
    this.timeout(timeBudget(60_000))
    let server: UiServer
    beforeEach(async () => {
      server = await startUi({ store: await open() })
    })
    afterEach(() => server.close())
    const importAll = (lines: readonly (object | string)[], options = {}) =>
      server.ui.owners.importAll(textOf(lines), options)

    async function stored(): Promise<string[]> {
      const entries: string[] = []
      for await (const entry of server.store.dump()) entries.push(JSON.stringify(entry))
      return entries.toSorted()
    }

    async function faultsOf(lines: readonly (object | string)[]) {
      const error: unknown = await importAll(lines).catch((cause: unknown) => cause)
      expect(error).to.be.instanceOf(OwnerImportError)
      // The line above.
      return (error as OwnerImportError).faults.map(({ line, path: at }) => `${line} ${at}`)
    }

    it('are made once, however often the import is repeated', async () => {
      const lines = Array.from({ length: 40 }, (_, n) => lineOf(n))
      const before = await stored()
      const tried = await importAll(lines, { dryRun: true })
      expect(tried).to.include({ created: 40, unchanged: 0 })
      expect(await stored()).to.deep.equal(before)
      const first = await importAll(lines.slice(0, 25))
      expect(first).to.include({ created: 25, unchanged: 0 })
      const whole = await importAll(lines)
      expect(whole).to.include({ created: 15, unchanged: 25 })
      const after = await stored()
      const again = await importAll(lines)
      expect(again).to.include({ created: 0, unchanged: 40 })
      expect(await stored()).to.deep.equal(after)
      const links = ({ owners }: typeof again) => owners.map(({ onboardingUrl }) => onboardingUrl)
      expect(links(again)).to.deep.equal(links(whole))
      expect(links(again).slice(0, 25)).to.deep.equal(links(first))
      expect(links(again).filter((url) => url !== undefined)).to.have.length(20)
      const { instances } = await server.oauth.instances.list({ limit: 100 })
      expect(new Set(instances.map(({ externalId }) => externalId)).size).to.equal(40)
      expect(instances).to.have.length(40)
      expect(server.mails).to.deep.equal([])
    })

    it('end one at a time when imports of the same owners run at once', async () => {
      const lines = Array.from({ length: 20 }, (_, n) => lineOf(n))
      const all = await Promise.all([importAll(lines), importAll(lines), importAll(lines)])
      expect(all.reduce((sum, { created }) => sum + created, 0)).to.equal(20)
      expect((await server.oauth.instances.list({ limit: 100 })).instances).to.have.length(20)
    })

    it('log in with what they had: passphrase, authenticator app and passkey', async () => {
      const base = 'https://owner-2.example.com'
      const device = softwareAuthenticator(base, 7)
      const passkey = {
        id: device.credentialId,
        publicKey: device.publicKey,
        counter: 7,
        rpId: 'owner-2.example.com',
      }
      await importAll([lineOf(2, { totp: { secret: SECRET }, passkeys: [passkey] })])
      const instance = await server.oauth.instances.byExternalId('user:2')
      if (instance === undefined) throw new Error('not there')
      const browser = server.browser(base)
      const { salt, KdfIterations } = (await browser.get('/public/prelogin')).json<{
        salt: string
        KdfIterations: number
      }>()
      const derived = await deriveLoginValue(passphrase, salt, KdfIterations)
      const step1 = async (fields = {}): Promise<string> => {
        const form = { passphrase: derived, ...fields }
        const answer = await browser.post('/auth/login', form, { headers: JSON_ONLY })
        return answer.json<{ two_factor_token: string }>().two_factor_token
      }
      const code = () =>
        generateSync({ secret: SECRET, epoch: Math.floor(server.clock.now() / 1000) })
      const first = await step1({ passphrase_raw: passphrase })
      expect((await passStep2(browser, first, code(), {}, JSON_ONLY)).status).to.equal(200)
      const second = await step1()
      const page = (await browser.get(`/auth/twofactor?two_factor_token=${second}`)).page()
      const options = JSON.parse(page.attribute('data-options') ?? '') as Record<string, unknown>
      const userHandle = Buffer.from('their id').toString('base64url')
      const assertion = device.get(options, { userHandle })
      const fields = { 'two-factor-assertion': assertion }
      expect((await passStep2(browser, second, '', fields, JSON_ONLY)).status).to.equal(200)
      expect((await ownerOf(server, instance)).factors?.passkeys?.[0]?.counter).to.equal(8)
    })

    it('are all refused together, with every fault of every line, and nothing is written', async () => {
      const before = await stored()
      const passkey = { id: 'AAAA', publicKey: 'AAAA', counter: 0, rpId: 'old.example' }
      const faults = await faultsOf([
        lineOf(1),
        'no json',
        '',
        { ...lineOf(1), domain: 'other.example.com' },
        { ...lineOf(5), domain: 'OWNER-1.example.com' },
        {
          ...lineOf(6),
          passphrase: { over: 'passphrase', hash: '5f4dcc3b5aa765d61d8327deb882cf99' },
        },
        { ...lineOf(7), email: 'nobody', totp: { secret: 'JBSWY3DP', digits: 8 }, nickname: 'x' },
        { ...lineOf(8), totp: { secret: 'JBSWY3DP' }, passkeys: [passkey] },
        { externalId: 'user:9', domain: 'not a domain', email: 'nine@mail.example', locale: '?' },
        { externalId: 'user:10' },
      ])
      expect(faults).to.have.members([
        '2 ',
        '4 externalId',
        '5 domain',
        '6 passphrase.hash',
        '7 totp.digits',
        '7 nickname',
        '8 totp.secret',
        '8 passkeys[0].rpId',
        '8 passkeys[0].publicKey',
        '9 locale',
        '9 domain',
        '10 domain',
        '10 email',
      ])
      expect(await stored()).to.deep.equal(before)
    })

    it('are refused where somebody else has the name', async () => {
      await server.ui.owners.createInstance({ domain: 'owner-1.example.com' })
      await server.ui.owners.createInstance({ domain: 'x.example.com', externalId: 'user:3' })
      const faults = await faultsOf([
        lineOf(1),
        lineOf(3),
        lineOf(4, { domain: 'deep.owner-1.example.com' }),
      ])
      expect(faults).to.deep.equal(['1 domain', '3 domain', '2 externalId'].toSorted())
    })

    it('get a name that a killed import had claimed once the claim is a minute old', async () => {
      const { key, store } = server
      const unreachable = Promise.reject(new StoreUnavailableError('gone'))
      unreachable.catch(() => {})
      // As a process leaves it that dies between the claims and the record.
      const dying = createOAuth({
        store: withMember(store, 'write', (changes, options) =>
          changes.some(({ key: name }) => name.includes(':instance:'))
            ? unreachable
            : store.write(changes, options),
        ),
        keys: [{ kid: 'test', key }],
        clock: server.clock,
      })
      const { domain, externalId } = lineOf(1)
      const failure = await dying.instances.create({ domain, externalId }).catch(String)
      expect(failure).to.include('gone')
      await dying.close()
      const imported = importAll([lineOf(1), lineOf(2)])
      server.clock.advance(61_000)
      expect(await imported).to.include({ created: 2 })
    })
  })
})
