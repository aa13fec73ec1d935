import { type ConnectionOptions, connect, createSecureContext, getCiphers } from 'node:tls'

export const TLS12 = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const
const TLS13 = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const
/** Suites that Node's client does not offer by itself, but others do. */
const OTHER_SUITES = [
  'aes128-ccm8',
  'aes256-ccm',
  'aria256-gcm-sha384',
  'dhe-rsa-aes128-ccm',
  'dhe-rsa-aes128-gcm-sha256',
  'dhe-rsa-aes256-sha256',
  'dhe-rsa-chacha20-poly1305',
  'ecdhe-aria128-gcm-sha256',
  'ecdhe-aria256-gcm-sha384',
  'ecdhe-ecdsa-aes128-ccm',
  'ecdhe-ecdsa-aes256-ccm8',
  'ecdhe-ecdsa-aria256-gcm-sha384',
  'ecdhe-rsa-camellia128-sha256',
]
export const HYBRID = 'X25519MLKEM768'
export const CURVES: readonly string[] = ['X25519', 'prime256v1', 'secp384r1']
const GROUPS = [HYBRID, ...CURVES, 'secp521r1', 'X448', 'brainpoolP256r1', 'ffdhe2048']

/** The suites of Mozilla's "intermediate" configuration over TLS 1.2. @param kind - of the certificate */
export function intermediateSuites(kind: 'ecdsa' | 'rsa'): readonly string[] {
  return ['aes128-gcm-sha256', 'aes256-gcm-sha384', 'chacha20-poly1305'].map(
    (name) => `ecdhe-${kind}-${name}`,
  )
}

/** Where handshakes are tried, on loopback. */
export interface TlsServer {
  readonly port: number
  readonly servername?: string
}

/** The suite of a handshake; undefined when it was refused. */
export function shakeHands(
  server: TlsServer,
  offer: ConnectionOptions,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...server, ...offer, host: '127.0.0.1', rejectUnauthorized: false })
    socket.once('error', () => resolve(undefined))
    socket.once('secureConnect', () => {
      resolve(socket.getCipher().name.toLowerCase())
      socket.destroy()
    })
  })
}

/** Suites over TLS 1.2, in the order of preference; also those that this client's library finds too weak. */
export function offerSuites(...names: readonly string[]): ConnectionOptions {
  return { ...TLS12, ciphers: `${names.join(':').toUpperCase()}:@SECLEVEL=0` }
}

/** The suites that the server accepts over TLS 1.2. */
export function acceptedSuites(server: TlsServer): Promise<readonly string[]> {
  const over12 = getCiphers().filter((name) => !name.startsWith('tls_'))
  return accepted(server, [...over12, ...OTHER_SUITES], (name) => offerSuites(name))
}

/** The groups that the server accepts. Over TLS 1.2 an ECDSA certificate needs its own beside each. */
export function acceptedGroups(
  server: TlsServer,
  versions: typeof TLS12 | typeof TLS13 = TLS13,
): Promise<readonly string[]> {
  return accepted(server, GROUPS, (ecdhCurve) => ({ ...versions, ecdhCurve }))
}

/** The versions before TLS 1.2 that the server accepts. */
export function acceptedOldVersions(server: TlsServer): Promise<readonly string[]> {
  return accepted(server, ['TLSv1', 'TLSv1.1'], (name) => {
    const version = name === 'TLSv1' ? 'TLSv1' : 'TLSv1.1'
    return { minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' }
  })
}

async function accepted(
  server: TlsServer,
  names: readonly string[],
  offerOf: (name: string) => ConnectionOptions,
): Promise<readonly string[]> {
  const taken: string[] = []
  for (const name of names) {
    const offer = offerOf(name)
    if (canOffer(offer) && (await shakeHands(server, offer)) !== undefined) taken.push(name)
  }
  return taken
}

/** Whether this client knows it at all: Node 22 does not know the hybrid group. */
export function canOffer(offer: ConnectionOptions): boolean {
  try {
    createSecureContext(offer)
    return true
  } catch {
    return false
  }
}
