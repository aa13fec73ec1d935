import type { Logger } from '@svc/platform'
import { expect } from 'chai'
import { hashesAtATime, HashQueue } from '../../../src/passphrase/hash-queue.ts'
import { PasswordHasher } from '../../../src/passphrase/password-hash.ts'
import { dummyContainer, parseContainer, type StoredHash } from '../../../src/owner/stored-hash.ts'

const loginValue = 'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0='
const text: StoredHash = {
  algorithm: 'scrypt',
  value:
    'scrypt$32768$8$1$000102030405060708090a0b0c0d0e0f$1812f58540fb69db62d5c8fc909e6ee9317a6090629355d719b5a1efbd544b36',
}

function hasherWith(options: { atATime?: number; waiting?: number } = {}) {
  const logged: string[] = []
  const log: Logger = {
    info: () => {},
    warn: () => {},
    error: (event) => logged.push(event),
  }
  const queue = new HashQueue({ atATime: options.atATime ?? 2, waiting: options.waiting ?? 32 })
  return { hasher: new PasswordHasher({ queue, log }), queue, logged }
}

describe('PasswordHasher', () => {
  it('makes a container with its cost in it, and finds the passphrase right', async () => {
    const { hasher } = hasherWith()
    const stored = await hasher.hash(loginValue)
    expect(stored.algorithm).to.equal('scrypt-kdf')
    expect(parseContainer(stored.value)?.cost).to.deep.equal({ logN: 15, r: 8, p: 3 })
    expect(await hasher.verify(stored, loginValue)).to.deep.equal({
      isRight: true,
      isOutdated: false,
    })
    expect((await hasher.verify(stored, `${loginValue}x`)).isRight).to.equal(false)
  })

  it('verifies the text form of login.md 3.2 and calls it outdated', async () => {
    const { hasher } = hasherWith()
    expect(await hasher.verify(text, loginValue)).to.deep.equal({ isRight: true, isOutdated: true })
    expect((await hasher.verify(text, 'wrong')).isRight).to.equal(false)
  })

  it('calls a container of another cost outdated', async () => {
    const { queue } = hasherWith()
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const cheap = new PasswordHasher({ queue, log, cost: { logN: 10, r: 8, p: 1 } })
    const stored = await cheap.hash(loginValue)
    const { hasher } = hasherWith()
    expect(await hasher.verify(stored, loginValue)).to.deep.equal({
      isRight: true,
      isOutdated: true,
    })
  })

  const container = (change: (bytes: Buffer) => void): StoredHash => {
    const bytes = dummyContainer({ logN: 15, r: 8, p: 3 })
    change(bytes)
    return { algorithm: 'scrypt-kdf', value: bytes.toString('base64') }
  }
  const malformed: readonly [what: string, stored: StoredHash][] = [
    ['an empty text', { algorithm: 'scrypt', value: '' }],
    ['five parts', { algorithm: 'scrypt', value: 'scrypt$32768$8$1$00' }],
    ['an N that is no power of two', { ...text, value: text.value.replace('32768', '32767') }],
    ['an absurd N', { ...text, value: text.value.replace('32768', '16777216') }],
    ['hexadecimal that is none', { ...text, value: text.value.replace('0f$', '0g$') }],
    ['a short container', { algorithm: 'scrypt-kdf', value: 'c2NyeXB0' }],
    ['a container with a wrong checksum', container((bytes) => bytes.writeUInt8(1, 50))],
    ['a container of another function', container((bytes) => bytes.write('argon2', 0))],
    ['an algorithm of tomorrow', { algorithm: 'argon2id' as 'scrypt', value: 'x' }],
  ]
  for (const [what, stored] of malformed) {
    it(`finds nothing right for ${what}, and says so in the log`, async () => {
      const { hasher, logged } = hasherWith()
      expect(await hasher.verify(stored, loginValue)).to.deep.equal({
        isRight: false,
        isOutdated: false,
      })
      expect(logged).to.deep.equal(['passphrase.hash_malformed'])
    })
  }

  it('never finds an empty passphrase right', async () => {
    const { hasher } = hasherWith()
    const ofNothing = await hasher.hash('')
    expect((await hasher.verify(ofNothing, '')).isRight).to.equal(false)
    expect((await hasher.verify(undefined, '')).isRight).to.equal(false)
  })
})

describe('HashQueue', () => {
  it('runs a few at a time, lets some wait and refuses the rest with 503', async () => {
    const queue = new HashQueue({ atATime: 2, waiting: 3 })
    let running = 0
    let most = 0
    const release: (() => void)[] = []
    const work = async (): Promise<void> => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => release.push(resolve))
      running -= 1
    }
    const accepted = Array.from({ length: 5 }, () => queue.run(work))
    const refused = await queue.run(work).catch((error: unknown) => error)
    expect(refused).to.include({ code: 'busy', status: 503 })
    expect(refused).to.have.deep.property('headers', { 'Retry-After': '1' })
    while (release.length > 0) {
      release.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(accepted)
    expect(most).to.equal(2)
    // The slots are free again.
    await queue.run(async () => {})
  })

  it('refuses with 503 what waited too long, and goes on with the others', async () => {
    const queue = new HashQueue({ atATime: 1, waiting: 3, waitMs: 20 })
    let release = (): void => {}
    const first = queue.run(() => new Promise<void>((resolve) => (release = resolve)))
    const late = await Promise.allSettled([queue.run(async () => 1), queue.run(async () => 2)])
    for (const { status, ...rest } of late) {
      expect(status).to.equal('rejected')
      expect(rest).to.have.nested.property('reason.code', 'busy')
    }
    const next = queue.run(async () => 3)
    release()
    await first
    expect(await next).to.equal(3)
    expect(await queue.run(async () => 4)).to.equal(4)
  })

  it('gives its slot back when the work fails', async () => {
    const queue = new HashQueue({ atATime: 1, waiting: 0 })
    await queue.run(() => Promise.reject(new Error('no'))).catch(() => {})
    expect(await queue.run(async () => 1)).to.equal(1)
  })

  it('leaves threads for what else uses the pool', () => {
    expect([1, 2, 3, 4, 5, 6, 8, 64].map(hashesAtATime)).to.deep.equal([1, 1, 1, 2, 3, 4, 4, 4])
  })
})
