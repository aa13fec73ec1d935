import { eachStore, timeBudget } from '@svc/testkit'
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { ImportedPassphrase } from '../../src/index.ts'
import { deriveLoginValue } from '../../src/passphrase/derive.ts'
import { JSON_ONLY } from '../support/reset.ts'
import { ROOMY_LIMITS } from '../support/roomy-limits.ts'
import { ALICE, createAlice, startUi, type UiServer } from '../support/ui-server.ts'

interface Vector {
  readonly tool: string
  readonly passphrase: string
  readonly hash: string
}

const FILE = path.join(import.meta.dirname, '../support/foreign-hashes.json')
// As the file has it.
const VECTORS = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Vector[]
const vectorOf = (tool: string): Vector => {
  const found = VECTORS.find((each) => each.tool.includes(tool))
  if (found === undefined) throw new Error(`no vector of ${tool}`)
  return found
}
const PBKDF2 = vectorOf('passlib 1.7.4, pbkdf2_sha256')
const LEAD = 'never leaves this browser'

eachStore((open) => {
  describe('owners who come with a hash of their passphrase', function () {
    this.timeout(timeBudget(60_000))
    let server: UiServer
    let derived: string

    async function start(
      imported: Partial<ImportedPassphrase> = {},
      options: Parameters<typeof startUi>[0] = {},
    ): Promise<void> {
      const store = await open()
      server = await startUi({ ...options, store })
      const { instance } = await createAlice(server, {}, { isOnboarded: false })
      await server.ui.owners.importPassphrase(instance, {
        over: 'passphrase',
        hash: PBKDF2.hash,
        ...imported,
      })
      const { salt, KdfIterations } = (await server.browser().get('/public/prelogin')).json<{
        salt: string
        KdfIterations: number
      }>()
      derived = await deriveLoginValue(PBKDF2.passphrase, salt, KdfIterations)
    }
    afterEach(() => server.close())

    const logIn = (fields: Readonly<Record<string, string>>, base = ALICE) =>
      server.browser(base).post('/auth/login', fields, { headers: JSON_ONLY })
    const page = async (): Promise<string> => (await server.browser().get('/auth/login')).text

    it('log in once with the passphrase itself, and from then on as everybody', async () => {
      await start()
      const first = await page()
      expect(first).to.include(' data-import').and.not.include(LEAD)
      const fields = { passphrase: derived, passphrase_raw: PBKDF2.passphrase }
      expect((await logIn(fields)).status).to.equal(200)
      expect(await page())
        .to.include(LEAD)
        .and.not.include('data-import')
      expect((await logIn({ passphrase: derived })).status).to.equal(200)
      // Now it is ignored, right or wrong.
      expect((await logIn({ ...fields, passphrase: 'wrong' })).status).to.equal(401)
      expect((await logIn({ ...fields, passphrase_raw: 'wrong' })).status).to.equal(200)
    })

    it('are refused with a wrong passphrase, whatever login value comes with it', async () => {
      await start()
      for (const passphrase_raw of ['', 'wrong', derived, 'x'.repeat(2000)]) {
        expect((await logIn({ passphrase: derived, passphrase_raw })).status).to.equal(401)
      }
      expect(await page()).to.include('data-import')
      // Its own derivation counts, not what came beside.
      const garbled = { passphrase: 'garbled', passphrase_raw: PBKDF2.passphrase }
      expect((await logIn(garbled)).status).to.equal(200)
      expect((await logIn({ passphrase: 'garbled' })).status).to.equal(401)
      expect((await logIn({ passphrase: derived })).status).to.equal(200)
    })

    it('count wrong ones in the buckets of today', async () => {
      await start()
      const statuses: number[] = []
      for (let at = 0; at < 25; at += 1) {
        statuses.push((await logIn({ passphrase: derived, passphrase_raw: 'wrong' })).status)
      }
      expect(statuses.slice(0, 3)).to.deep.equal([401, 401, 401])
      expect(statuses.at(-1)).to.equal(429)
      const right = { passphrase: derived, passphrase_raw: PBKDF2.passphrase }
      expect((await logIn(right)).status).to.equal(429)
    })

    it('are told where to log in when a login value comes alone, at no cost of a try', async () => {
      await start()
      const pending = {
        error: 'passphrase_import_pending',
        url: 'https://alice.example.com/auth/login',
      }
      for (let at = 0; at < 30; at += 1) {
        const answer = await logIn({ passphrase: derived })
        expect(answer.status).to.equal(403)
        expect(answer.json()).to.deep.equal(pending)
      }
      const flagship = await server.browser().postJson('/auth/login/flagship', {
        passphrase: derived,
        client_id: 'x',
        client_secret: 'x',
      })
      expect(flagship.status).to.be.oneOf([400, 403])
      const right = { passphrase: derived, passphrase_raw: PBKDF2.passphrase }
      expect((await logIn(right)).status).to.equal(200)
    })

    it('all get in when they log in at the same time, and one writes the new hash', async () => {
      await start({}, { ui: { limits: ROOMY_LIMITS, passphrase: { waiting: 100 } } })
      const fields = { passphrase: derived, passphrase_raw: PBKDF2.passphrase }
      // Hashing is bounded: who waits for too long is told to come again, and does.
      const logInAtLast = async (): Promise<number> => {
        const { status } = await logIn(fields)
        return status === 503 ? logInAtLast() : status
      }
      const statuses = await Promise.all(Array.from({ length: 50 }, logInAtLast))
      expect(statuses).to.deep.equal(Array(50).fill(200))
      const upgrades = server.logged.filter(([event]) => event === 'passphrase.hash_upgraded')
      expect(upgrades).to.have.length(1)
    })

    it('leave no trace of the passphrase', async () => {
      await start()
      await logIn({ passphrase: derived, passphrase_raw: `${PBKDF2.passphrase}x` })
      await logIn({ passphrase: derived, passphrase_raw: PBKDF2.passphrase })
      const kept = [JSON.stringify(server.logged), JSON.stringify(server.events)]
      for await (const entry of server.store.dump()) kept.push(JSON.stringify(entry))
      expect(kept.join('\n')).not.to.include(PBKDF2.passphrase).and.not.include(derived)
    })

    it('may come with a hash over the login value', async () => {
      const value = await deriveLoginValue('old passphrase', 'me@old.example', 50_000)
      const bcrypt = vectorOf('htpasswd')
      await start({ over: 'login-value', salt: 'me@old.example', iterations: 50_000 })
      expect((await logIn({ passphrase: PBKDF2.passphrase })).status).to.equal(200)
      expect((await logIn({ passphrase: value })).status).to.equal(401)
      expect(await page()).to.include(LEAD)
      expect(bcrypt.hash).to.match(/^\$2y\$/)
    })

    it('are refused at the import when a check would cost too much, or say too little', async () => {
      await start()
      const { instance } = await server.ui.owners.createInstance({ domain: 'bob.example.com' })
      const bad: readonly object[] = [
        { over: 'passphrase', hash: '5f4dcc3b5aa765d61d8327deb882cf99' },
        { over: 'passphrase', hash: `$2b$16$${'a'.repeat(53)}` },
        { over: 'passphrase', hash: PBKDF2.hash, salt: 'x', iterations: 50_000 },
        { over: 'login-value', hash: PBKDF2.hash },
        { over: 'login-value', hash: PBKDF2.hash, salt: 'x', iterations: 1 },
        { hash: PBKDF2.hash },
      ]
      for (const imported of bad) {
        const fault: unknown = await server.ui.owners
          .importPassphrase(instance, imported as ImportedPassphrase)
          .catch((error: unknown) => error)
        expect(fault, JSON.stringify(imported)).to.be.instanceOf(TypeError)
      }
      expect(await server.ui.owners.isOnboarded(instance)).to.equal(false)
    })
  })
})
