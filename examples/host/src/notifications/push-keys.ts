import { createECDH } from 'node:crypto'
import type { WebPushOptions } from '@svc/notify'
import type { SealedValue, Sealer } from '@svc/platform'
import { recordKey, type Store } from '@svc/store'

const KEY = recordKey('host', 'web-push-key', 'current')
/** What the private key is sealed for. */
export const PUSH_KEY_CONTEXT = 'host|web-push-key'
/** Push services refuse a host that is not public; this domain is for examples (RFC 2606). */
const SUBJECT = 'mailto:webpush@example.org'

interface KeyRecord {
  readonly [name: string]: string
  readonly publicKey: string
  readonly sealed: string
}

/**
 * The key pair of web pushes for development: made once and kept sealed in the store, so that every process has the
 * same one and subscriptions outlive a restart.
 */
export async function developmentPushKeys(store: Store, sealer: Sealer): Promise<WebPushOptions> {
  const made = createPair()
  const value = {
    publicKey: made.publicKey,
    sealed: sealer.seal(made.privateKey, PUSH_KEY_CONTEXT),
  }
  const { written } = await store.write([{ op: 'put', key: KEY, value, ifAbsent: true }])
  if (written) return { ...made, subject: SUBJECT }
  const record = await store.get<KeyRecord>(KEY)
  if (record === undefined) throw new Error('the key of web pushes went away')
  const { publicKey, sealed } = record.value
  return {
    publicKey,
    privateKey: sealer.open(sealed, PUSH_KEY_CONTEXT).toString(),
    subject: SUBJECT,
  }
}

/** What the store holds sealed of it. */
export async function* sealedPushKeys(store: Store): AsyncGenerator<SealedValue> {
  const sealed = (await store.get<KeyRecord>(KEY))?.value.sealed
  if (sealed !== undefined)
    yield { sealed, open: (sealer) => sealer.open(sealed, PUSH_KEY_CONTEXT) }
}

function createPair(): { readonly publicKey: string; readonly privateKey: string } {
  const curve = createECDH('prime256v1')
  const publicKey = curve.generateKeys('base64url')
  // Leading zeros are part of the key.
  const secret = Buffer.alloc(32)
  const short = curve.getPrivateKey()
  short.copy(secret, 32 - short.length)
  return { publicKey, privateKey: secret.toString('base64url') }
}
