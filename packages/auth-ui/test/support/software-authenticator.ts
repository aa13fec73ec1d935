import {
  createHash,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** What an attacker, or a broken device, would do differently. */
export interface Tampering {
  readonly origin?: string
  readonly rpId?: string
  /** Base64url. */
  readonly challenge?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  readonly counter?: number
  readonly userPresent?: boolean
  readonly userVerified?: boolean
  /** A provider may copy it. */
  readonly isSynced?: boolean
  /** Empty: none is sent. */
  readonly userHandle?: string
  readonly credentialId?: string
  /** Signs in place of the credential's own key. */
  readonly key?: KeyObject
  readonly flipsSignature?: boolean
  /** COSE number instead of ES256. */
  readonly algorithm?: number
  /** Attestation as a certificate chain gives it. */
  readonly certificates?: boolean
}

type Options = Readonly<Record<string, unknown>>

/** A passkey in software: one credential, ES256. */
export interface SoftwareAuthenticator {
  readonly credentialId: string
  /** COSE key, base64url. */
  readonly publicKey: string
  /** Moves with every assertion unless it is 0. */
  counter: number
  /** Answers `PublicKeyCredentialCreationOptionsJSON` with `RegistrationResponseJSON` as text. */
  create(options: Options, tampering?: Tampering): string
  /** Answers `PublicKeyCredentialRequestOptionsJSON` with `AuthenticationResponseJSON` as text. */
  get(options: Options, tampering?: Tampering): string
}

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const ATTESTED = 0x40

/** @param origin - of the page the browser is on */
export function softwareAuthenticator(origin: string, counter = 0): SoftwareAuthenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credentialId = randomBytes(32).toString('base64url')

  function clientData(type: string, options: Options, tampering: Tampering): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: tampering.type ?? type,
        challenge: tampering.challenge ?? options['challenge'],
        origin: tampering.origin ?? origin,
        crossOrigin: tampering.crossOrigin ?? false,
      }),
    )
  }

  function authenticatorData(rpId: string, flags: number, tampering: Tampering): Buffer {
    const presence = tampering.userPresent === false ? 0 : USER_PRESENT
    const verified = tampering.userVerified === false ? 0 : USER_VERIFIED
    const synced = tampering.isSynced === true ? BACKUP_ELIGIBLE | BACKED_UP : 0
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | presence | (presence === 0 ? 0 : verified) | synced, 0)
    head.writeUInt32BE(tampering.counter ?? device.counter, 1)
    return Buffer.concat([sha256(tampering.rpId ?? rpId), head])
  }

  /** As the relying party gave it with the credential. */
  let userHandle = ''
  const device: SoftwareAuthenticator = {
    credentialId,
    publicKey: Buffer.from(isoCBOR.encode(coseKey(publicKey))).toString('base64url'),
    counter,
    create(options, tampering = {}) {
      const { id } = options['rp'] as { id: string }
      ;({ id: userHandle } = options['user'] as { id: string })
      const idBytes = Buffer.from(tampering.credentialId ?? credentialId, 'base64url')
      const length = Buffer.alloc(2)
      length.writeUInt16BE(idBytes.length)
      const authData = Buffer.concat([
        authenticatorData(id, ATTESTED, tampering),
        Buffer.alloc(16),
        length,
        idBytes,
        isoCBOR.encode(coseKey(publicKey, tampering.algorithm)),
      ])
      const attestation = new Map<string, unknown>([
        ['fmt', tampering.certificates === true ? 'packed' : 'none'],
        ['attStmt', new Map(tampering.certificates === true ? certified() : [])],
        ['authData', new Uint8Array(authData)],
      ])
      return JSON.stringify({
        id: idBytes.toString('base64url'),
        rawId: idBytes.toString('base64url'),
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', options, tampering).toString('base64url'),
          // What CBOR takes is wider than the library's type says.
          attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString(
            'base64url',
          ),
          transports: ['internal', 'nonsense'],
        },
      })
    },
    get(options, tampering = {}) {
      if (device.counter > 0) device.counter += 1
      const signed = clientData('webauthn.get', options, tampering)
      const authData = authenticatorData(String(options['rpId']), 0, tampering)
      const signature = sign(
        'sha256',
        Buffer.concat([authData, sha256(signed)]),
        tampering.key ?? privateKey,
      )
      if (tampering.flipsSignature === true) signature[20] = (signature[20] ?? 0) ^ 1
      const id = tampering.credentialId ?? credentialId
      const handle = tampering.userHandle ?? userHandle
      return JSON.stringify({
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: signed.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
          ...(handle === '' ? {} : { userHandle: handle }),
        },
      })
    },
  }
  return device
}

/** Somebody else's key. */
export function foreignKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

function certified(): [string, unknown][] {
  return [
    ['alg', -7],
    ['sig', new Uint8Array(64)],
    ['x5c', [new Uint8Array(300)]],
  ]
}

function coseKey(publicKey: KeyObject, algorithm = -7): Map<number, number | Uint8Array> {
  const { x = '', y = '' }: JsonWebKey = publicKey.export({ format: 'jwk' })
  return new Map<number, number | Uint8Array>([
    [1, 2],
    [3, algorithm],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}
