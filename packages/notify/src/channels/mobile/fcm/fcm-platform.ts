import type { FcmOptions } from '../mobile-options.ts'
import { createCredentialsFile } from '../credentials-file.ts'
import { createGatewayCache } from '../gateway-cache.ts'
import { parseJson } from '../provider-call.ts'
import {
  createCredentialSource,
  type PlatformParts,
  type PushPlatform,
} from '../push-credentials.ts'
import { createFcmGateway } from './fcm-gateway.ts'
import { parseServiceAccount, type ServiceAccount } from './service-account.ts'

/** @see notifications.md 16.3 */
export function createFcmPlatform(
  options: PlatformParts & { readonly fcm: FcmOptions },
): PushPlatform {
  const { fcm, store, clock, log } = options
  const { credentialsFile: path, endpoint } = fcm
  const parse = (content: Buffer): ServiceAccount | { fault: string } =>
    parseServiceAccount(parseJson(content.toString())) ?? { fault: 'malformed' }
  const file =
    path === undefined
      ? undefined
      : createCredentialsFile<ServiceAccount>({ path, provider: 'fcm', parse, clock, log })
  const source = createCredentialSource({
    store,
    file,
    log,
    member: 'push_credentials',
    parse: parseServiceAccount,
  })
  const cache = createGatewayCache<ServiceAccount>({
    describe: ({ privateKey, ...account }) =>
      JSON.stringify([account, privateKey.export({ type: 'pkcs8', format: 'pem' })]),
    create: (account) =>
      createFcmGateway({ ...options, account, ...(endpoint !== undefined && { endpoint }) }),
  })

  return {
    async gatewayOf(push) {
      const account = await source.credentialsOf(push)
      return account === undefined ? undefined : cache.gatewayOf(account)
    },
    close: () => cache.close(),
  }
}
