import type { ApnsOptions } from '../mobile-options.ts'
import { createCredentialsFile } from '../credentials-file.ts'
import { createGatewayCache } from '../gateway-cache.ts'
import {
  createCredentialSource,
  type PlatformParts,
  type PushPlatform,
} from '../push-credentials.ts'
import {
  type ApnsCredentials,
  type ApnsFileFacts,
  parseApnsEntry,
  parseApnsFile,
} from './apns-credentials.ts'
import { createApnsGateway } from './apns-gateway.ts'

/** @see notifications.md 16.3 */
export function createApnsPlatform(
  options: PlatformParts & { readonly apns: ApnsOptions | undefined },
): PushPlatform {
  const { apns, store, clock, log } = options
  const file =
    apns === undefined
      ? undefined
      : createCredentialsFile<ApnsCredentials>({
          path: apns.keyFile,
          provider: 'apns',
          clock,
          log,
          parse: (content) => parseApnsFile(content, apnsFileFacts(apns)),
        })
  const source = createCredentialSource({
    store,
    file,
    log,
    member: 'apns_credentials',
    parse: parseApnsEntry,
  })
  const { host, ca } = apns ?? {}
  const cache = createGatewayCache<ApnsCredentials>({
    describe,
    create: (credentials) =>
      createApnsGateway({
        credentials,
        clock,
        ...(host !== undefined && { host }),
        ...(ca !== undefined && { ca }),
      }),
  })

  return {
    async gatewayOf(push) {
      const credentials = await source.credentialsOf(push)
      return credentials === undefined ? undefined : cache.gatewayOf(credentials)
    },
    close: () => cache.close(),
  }
}

/** The options for the file. */
export function apnsFileFacts({
  password,
  keyId,
  teamId,
  topic,
  development,
}: ApnsOptions): ApnsFileFacts {
  return {
    ...(password !== undefined && { password }),
    ...(keyId !== undefined && { keyId }),
    ...(teamId !== undefined && { teamId }),
    ...(topic !== undefined && { topic }),
    isDevelopment: development ?? false,
  }
}

/** All that makes credentials differ. */
function describe(credentials: ApnsCredentials): string {
  if (credentials.kind === 'token') {
    const { key, ...rest } = credentials
    return JSON.stringify([rest, key.export({ type: 'pkcs8', format: 'pem' })])
  }
  const { material, ...rest } = credentials
  const files = 'pfx' in material ? [material.pfx] : [material.cert, material.key]
  return JSON.stringify([rest, files.map((content) => content.toString('base64'))])
}
