import type { KeyObject } from 'node:crypto'
import type { Change } from '@svc/store'
import type { Instance, InstanceId } from '../instances/instance.ts'

/**
 * `access`: signs access tokens; replaced when it is old, and older keys verify until the last token died.
 * `session`: signs app tokens, session cookies and passcode MACs; replaced without grace by a passphrase change.
 * `mail`: signs the links of mails, which live for years; replaced without grace, by the operator only.
 * `refresh`: makes rotating refresh tokens (D80); replaced by the operator only, and older keys verify for as long as a
 * grant that was made with them can live. Made when it is first asked for.
 */
export type KeyKind = 'access' | 'session' | 'mail' | 'refresh'

/** A key in use. `kid` is `<kind>.<n>`. */
export interface SigningKey {
  readonly kid: string
  /** 64 random bytes. */
  readonly secret: Buffer
  /** The same as a key object: signs several times as fast. */
  readonly hmacKey: KeyObject
  /** `2:` followed by the secret: the session key signs its messages with this one. @see login.md 3.4 */
  readonly messageKey: KeyObject
}

/** The keys of each instance, sealed in the store, cached in process (D9). */
export interface Keyring {
  /** The key that signs. An access key that is too old is replaced first. */
  current(instance: Instance, kind: KeyKind): Promise<SigningKey>
  /** The key a `kid` names, when it still verifies and is of this kind; at once where the instance's keys are known. */
  find(
    instance: Instance,
    kind: KeyKind,
    kid: string,
  ): SigningKey | undefined | Promise<SigningKey | undefined>
  /**
   * The changes that create the first keys of a new instance; part of the write that creates it.
   */
  create(instanceId: InstanceId): readonly Change[]
  /**
   * The changes that replace the session key at once; part of the write that changes the passphrase.
   * Call `replaced` after that write happened.
   */
  replaceSessionKey(instance: Instance): Promise<readonly Change[]>
  /** Tells this and all other processes to forget cached keys of the instance. */
  replaced(instance: Pick<Instance, 'id'>): Promise<void>
  /** A new key signs; older ones verify until what they made is dead, or with `revoke` die at once. */
  rotate(instance: Instance, options?: RotateOptions): Promise<void>
  /** A new key of this kind signs, and what older ones signed is dead at once: every session, or every link of mails. */
  replace(
    instance: Instance,
    kind: 'session' | 'mail',
    options?: Pick<RotateOptions, 'madeBefore'>,
  ): Promise<void>
}

/**
 * How a signing key of an instance is replaced.
 * @see docs/operating.md of the repository
 */
export interface RotateOptions {
  /** Which key is replaced. @defaultValue `access` */
  readonly kind?: 'access' | 'refresh'
  /** Older keys die at once. */
  readonly revoke?: boolean
  /** Only a key that is older than this instant is replaced: what is repeated does it once. Milliseconds. */
  readonly madeBefore?: number
}
