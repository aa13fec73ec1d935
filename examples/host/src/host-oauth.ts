import { createOAuth, type OAuth, type OAuthOptions } from '@svc/oauth-core'
import { hasTls } from './config/addressing.ts'
import { assistantOptions, reservedKinds } from './config/assistants.ts'
import type { Config } from './config/config.ts'
import { readDeprecatedApps } from './config/deprecated-apps.ts'
import { flagshipOptions } from './config/flagship.ts'
import { coreOverrides } from './config/overrides.ts'
import { isLocalhost } from './config/own-names.ts'

/** The OAuth package as the configuration wants it. */
export function createHostOAuth(
  config: Config,
  parts: Pick<
    OAuthOptions,
    'apps' | 'clock' | 'keys' | 'konnectors' | 'log' | 'sharings' | 'store'
  >,
): OAuth {
  return createOAuth({
    ...parts,
    namespace: config.namespace,
    subdomains: config.subdomains,
    isHttps: (domain) => hasTls(config) || !isLocalhost(domain),
    trustProxy: config.trustProxy,
    requirePkce: config.requirePkce,
    consent: { choose: config.consentChoose },
    assistants: {
      ...assistantOptions(config.assistants),
      reserved: reservedKinds(config.namespace),
    },
    deprecatedApps: readDeprecatedApps(config.deprecatedAppsFile),
    flagship: flagshipOptions(config.flagship),
    ...coreOverrides(config),
  })
}
