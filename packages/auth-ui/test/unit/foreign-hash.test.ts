import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { parseForeignHash } from '../../src/owner/foreign-hash.ts'
import { verifyForeign } from '../../src/passphrase/foreign-verifier.ts'
import { HashThread } from '../../src/passphrase/hash-thread.ts'

interface Vector {
  readonly tool: string
  readonly passphrase: string
  readonly hash: string
}

/** Made by the tools that they name, from November 2026. */
const FILE = path.join(import.meta.dirname, '../support/foreign-hashes.json')
// As the file has it.
const VECTORS = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Vector[]
const KEY = 'A'.repeat(43)
const HEX = '00'.repeat(32)

describe('hashes of other programs', function () {
  this.timeout(60_000)
  const thread = new HashThread()
  const verify = (hash: string, secret: string) =>
    verifyForeign(thread, parseForeignHash(hash), secret)

  for (const { tool, passphrase, hash } of VECTORS) {
    it(`of ${tool} are right for their passphrase alone`, async () => {
      expect(await verify(hash, passphrase)).to.equal(true)
      for (const wrong of ['', `y${passphrase}`, passphrase.toUpperCase()]) {
        expect(await verify(hash, wrong), wrong).to.equal(false)
      }
    })
  }

  // What Node before 24.7 has not.
  it('of Argon2 are right in the thread, too', async () => {
    for (const { passphrase, hash } of VECTORS) {
      const found = parseForeignHash(hash)
      if (found.kind !== 'argon2') continue
      const { key, lanes, memory, passes, salt, variant } = found
      const job = {
        kind: 'argon2',
        variant,
        memory,
        passes,
        lanes,
        bytes: key.length,
        salt,
      } as const
      const derived = await thread.run({ ...job, password: Buffer.from(passphrase) })
      expect(Buffer.from(derived as Uint8Array).equals(key)).to.equal(true)
    }
  })

  it('of bcrypt count 72 bytes, as they were made', async () => {
    const long = VECTORS.find(({ tool }) => tool.includes('80 bytes'))
    expect(await verify(long?.hash ?? '', `${'x'.repeat(72)}and something else`)).to.equal(true)
    expect(await verify(long?.hash ?? '', 'x'.repeat(71))).to.equal(false)
  })

  const refused: readonly (readonly [what: string, hash: string])[] = [
    ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['crypt with MD5', '$1$salt$qJH7.N4xYta3aEG/dfqo/0'],
    ['SHA-1', '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g='],
    ['crypt with SHA-512', `$6$saltsalt$${'A'.repeat(86)}`],
    ['plain SHA-256', 'a'.repeat(64)],
    ['nothing', ''],
    ['something long', 'x'.repeat(513)],
    ['scrypt above 128 MiB', `scrypt$2097152$8$1$${'00'.repeat(16)}$${HEX}`],
    ['scrypt with N that is no power of 2', `scrypt$16385$8$1$${'00'.repeat(16)}$${HEX}`],
    ['scrypt with p above 16', `$scrypt$ln=14,r=8,p=17$AAAAAAAAAAAAAAAAAAAAAA$${KEY}`],
    ['PBKDF2 below 10 000 rounds', `$pbkdf2-sha256$9999$AAAAAAAAAAAAAAAAAAAAAA$${KEY}`],
    ['PBKDF2 above 5 000 000 rounds', `pbkdf2_sha256$5000001$salt$${KEY}=`],
    ['PBKDF2 with SHA-1', `$pbkdf2$131000$AAAAAAAAAAAAAAAAAAAAAA$${KEY}`],
    ['a key of 8 bytes', '$pbkdf2-sha256$29000$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAA'],
    ['Argon2 above 256 MiB', `$argon2id$v=19$m=262145,t=3,p=1$AAAAAAAAAAAAAAAAAAAAAA$${KEY}`],
    ['Argon2 with 11 passes', `$argon2id$v=19$m=65536,t=11,p=1$AAAAAAAAAAAAAAAAAAAAAA$${KEY}`],
    ['Argon2 of an older version', `$argon2id$v=16$m=65536,t=3,p=1$AAAAAAAAAAAAAAAAAAAAAA$${KEY}`],
    ['Argon2d', `$argon2d$v=19$m=65536,t=3,p=1$AAAAAAAAAAAAAAAAAAAAAA$${KEY}`],
    ['bcrypt of cost 3', `$2b$03$${'a'.repeat(53)}`],
    ['bcrypt of cost 16', `$2b$16$${'a'.repeat(53)}`],
    ['bcrypt of PHP before its repair', `$2x$10$${'a'.repeat(53)}`],
  ]
  for (const [what, hash] of refused) {
    it(`are refused when they are ${what}, without a quotation`, () => {
      expect(() => parseForeignHash(hash)).to.throw(TypeError)
      try {
        parseForeignHash(hash)
      } catch (error) {
        if (hash !== '') expect((error as Error).message).not.to.include(hash)
      }
    })
  }
})
