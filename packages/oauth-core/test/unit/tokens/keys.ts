import { createSecretKey, randomBytes } from 'node:crypto'
import type { SigningKey } from '@svc/platform'

export function newKey(kid = 'access.1', secret: Buffer = randomBytes(64)): SigningKey {
  const hmacKey = createSecretKey(secret)
  return { kid, secret, hmacKey, messageKey: hmacKey }
}
