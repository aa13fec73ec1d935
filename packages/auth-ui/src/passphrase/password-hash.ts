import { scrypt as nodeScrypt, timingSafeEqual } from 'node:crypto'
import * as scryptKdf from 'scrypt-kdf'
import { deriveLoginValue } from './derive.ts'
import type { HashQueue } from './hash-queue.ts'
import {
  dummyContainer,
  parseContainer,
  parseText,
  type ScryptCost,
  type ScryptText,
  type StoredHash,
} from '../owner/stored-hash.ts'
import { type ForeignHash, parseForeignHash } from '../owner/foreign-hash.ts'
import type { AuthUiLog } from '../log/log-events.ts'
import { verifyForeign } from './foreign-verifier.ts'
import { HashThread } from './hash-thread.ts'
import type { PassphraseVerifier } from './passphrase-verifier.ts'

/** What the library offers at run time: a default export, although its types say otherwise. */
const { kdf, verify: verifyContainer } = (scryptKdf as unknown as { default: typeof scryptKdf })
  .default

/** @see decision D17; OWASP's floor counted on the server side alone */
export const DEFAULT_COST: ScryptCost = { logN: 15, r: 8, p: 3 }

/** How a check ended. */
export interface Verification {
  readonly isRight: boolean
  /** The stored hash is of another form or cost than those made today. */
  readonly isOutdated: boolean
}

/** What {@link PasswordHasher} needs; `cost` is {@link DEFAULT_COST} unless said. */
export interface PasswordHasherOptions {
  readonly queue: HashQueue
  readonly log: AuthUiLog
  readonly cost?: ScryptCost
  /** For hashes that the package does not know. */
  readonly verifiers?: readonly PassphraseVerifier[]
}

/** How a check of an imported passphrase ended, with what takes the place of its hash when it was right. */
export interface ImportVerification {
  readonly isRight: boolean
  readonly hash: StoredHash
}

/**
 * Hashes passphrases and checks them, in a bounded queue: makes containers of scrypt-kdf, checks those and the text
 * form (D17).
 */
export class PasswordHasher {
  /** Shared by all costly work of the process. */
  readonly queue: HashQueue
  readonly #log: AuthUiLog
  readonly #cost: ScryptCost
  readonly #dummy: Uint8Array
  readonly #verifiers: readonly PassphraseVerifier[]
  readonly #thread = new HashThread()

  constructor({ queue, log, cost = DEFAULT_COST, verifiers = [] }: PasswordHasherOptions) {
    this.queue = queue
    this.#log = log
    this.#cost = cost
    this.#dummy = dummyContainer(cost)
    this.#verifiers = verifiers
  }

  /** @throws AuthUiError `busy` */
  hash(passphrase: string): Promise<StoredHash> {
    return this.queue.run(() => this.#make(passphrase))
  }

  /**
   * Checks the passphrase itself against the hash of another program, and makes what takes its place. Right or wrong, it
   * does the same and takes as long.
   * @param owner - with a hash `foreign-passphrase`, and the salt and iterations of the derivation to come
   * @throws AuthUiError `busy`
   */
  verifyImported(
    owner: {
      readonly passphraseHash: StoredHash
      readonly salt: string
      readonly iterations: number
    },
    raw: string,
  ): Promise<ImportVerification> {
    return this.queue.run(async () => {
      const isSame = await this.#checkForeign(owner.passphraseHash.value, raw)
      // It becomes a new passphrase of ours: NFC.
      const composed = raw.normalize('NFC')
      const hash = await this.#make(await deriveLoginValue(composed, owner.salt, owner.iterations))
      return { isRight: isSame && raw !== '', hash }
    })
  }

  async #make(passphrase: string): Promise<StoredHash> {
    const container = await kdf(passphrase, this.#cost)
    return { algorithm: 'scrypt-kdf', value: Buffer.from(container).toString('base64') }
  }

  async #checkForeign(value: string, secret: string): Promise<boolean> {
    const own = this.#verifiers.find((verifier) => verifier.parse(value) !== undefined)
    if (own !== undefined) return own.verify(value, secret)
    let foreign: ForeignHash
    try {
      foreign = parseForeignHash(value)
    } catch {
      this.#log.error('passphrase.hash_malformed')
      return false
    }
    return verifyForeign(this.#thread, foreign, secret)
  }

  /**
   * Takes the same time for a wrong, an empty and a never set passphrase; a malformed hash matches nothing.
   * @throws AuthUiError `busy`
   */
  verify(stored: StoredHash | undefined, passphrase: string): Promise<Verification> {
    return this.queue.run(async () => {
      const found = await this.#check(stored, passphrase)
      // An empty passphrase is never right, and costs as much as a wrong one.
      return passphrase === '' ? { ...found, isRight: false } : found
    })
  }

  /** The browser's derivation, done here. @throws AuthUiError `busy` */
  derive(passphrase: string, salt: string, iterations: number): Promise<string> {
    return this.queue.run(() => deriveLoginValue(passphrase, salt, iterations))
  }

  #check(stored: StoredHash | undefined, passphrase: string): Promise<Verification> {
    if (stored?.algorithm === 'scrypt') {
      const text = parseText(stored.value)
      if (text !== undefined) return checkText(text, passphrase)
    }
    if (stored?.algorithm === 'scrypt-kdf') {
      const container = parseContainer(stored.value)
      if (container !== undefined) {
        return checkContainer(container.bytes, passphrase, isSameCost(container.cost, this.#cost))
      }
    }
    if (stored?.algorithm === 'foreign') {
      return this.#checkForeign(stored.value, passphrase).then((isRight) => ({
        isRight,
        isOutdated: true,
      }))
    }
    // Of an imported passphrase nobody knows a login value yet.
    if (stored !== undefined && stored.algorithm !== 'foreign-passphrase') {
      this.#log.error('passphrase.hash_malformed')
    }
    return verifyContainer(this.#dummy, passphrase).then(() => ({
      isRight: false,
      isOutdated: false,
    }))
  }
}

async function checkContainer(
  container: Uint8Array,
  passphrase: string,
  isCurrent: boolean,
): Promise<Verification> {
  return { isRight: await verifyContainer(container, passphrase), isOutdated: !isCurrent }
}

async function checkText(text: ScryptText, passphrase: string): Promise<Verification> {
  const derived = await runScrypt(text, passphrase)
  return { isRight: timingSafeEqual(derived, text.key), isOutdated: true }
}

function runScrypt({ logN, r, p, salt, key }: ScryptText, passphrase: string): Promise<Buffer> {
  const N = 2 ** logN
  // Node's default of 32 MiB refuses the usual cost (login.md 3.2).
  const maxmem = Math.max(64 * 1024 * 1024, 256 * N * r)
  return new Promise((resolve, reject) => {
    nodeScrypt(passphrase, salt, key.length, { N, r, p, maxmem }, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    )
  })
}

function isSameCost(a: ScryptCost, b: ScryptCost): boolean {
  return a.logN === b.logN && a.r === b.r && a.p === b.p
}
