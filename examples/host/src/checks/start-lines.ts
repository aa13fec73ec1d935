import type { Instances, SealingKey } from '@svc/platform'
import { countInstances } from './sites.ts'
import { hasTls, publicAddress } from '../config/addressing.ts'
import type { Config } from '../config/config.ts'
import { parseSmtpUrl } from '../config/smtp-url.ts'
import { hasPushProvider } from '../notifications/channel-options.ts'
import { PRODUCT_VERSION } from '../processes/product-version.ts'
import { STORE_VERSIONS } from '../processes/store-versions.ts'

export interface StartFacts {
  readonly config: Config
  readonly keys: readonly SealingKey[]
  readonly instances: Pick<Instances, 'list'>
  readonly ports: {
    readonly public: number
    readonly admin: number
    readonly internal: number | undefined
  }
}

/** What a server says of itself when it has started in production. No secret, no owner. @see operation.md 2.5 */
export async function startLines(facts: StartFacts): Promise<string> {
  const { config, keys, instances, ports } = facts
  const scheme = config.tls === undefined ? 'http' : 'https'
  const host = publicAddress(config) ?? '*'
  const rows: readonly (readonly [string, string])[] = [
    ['Version', PRODUCT_VERSION],
    ['Store', `${storeOf(config)}, version ${STORE_VERSIONS.writes}`],
    ['Instances', await countInstances(instances)],
    ['Sealing keys', keys.map(({ kid }) => kid).join(', ')],
    ['Public', `${scheme}://${host}:${ports.public}`],
    ['Admin', `http://127.0.0.1:${ports.admin}`],
    [
      'Internal',
      ports.internal === undefined ? 'off' : `http://${config.internalHost}:${ports.internal}`,
    ],
    ['Mail', mailOf(config)],
    ['Proxies', config.trustProxy === 0 ? 'none trusted' : `${config.trustProxy} trusted`],
    ['Off', offOf(config).join(', ') || 'nothing'],
  ]
  return rows.map(([name, value]) => `${name.padEnd(12)}  ${value}`).join('\n')
}

/** Without user or password. */
function storeOf({ store, dataDir, storeReplicas }: Config): string {
  if (store === 'sqlite') return `embedded, in ${dataDir}`
  const places = store
    .split(',')
    .map((url) => url.replace(/\/\/[^@/]*@/, '//').replace(/\?.*$/, ''))
  const replicas = storeReplicas === 0 ? '' : `, ${storeReplicas} replicas waited for`
  return `Redis, ${places.join(', ')}${replicas}`
}

function mailOf({ smtpUrl }: Config): string {
  if (smtpUrl === undefined) return 'off'
  const { host, port } = parseSmtpUrl(smtpUrl)
  return `${host}:${port}`
}

function offOf(config: Config): string[] {
  const { notifications, limits } = config
  return [
    ...(config.smtpUrl === undefined ? ['mail'] : []),
    ...(hasPushProvider(notifications) ? [] : ['push']),
    ...(notifications.smsUrl === undefined ? ['texts'] : []),
    ...(hasTls(config) ? [] : ['https']),
    ...(config.internalPort === undefined ? ['internal listener'] : []),
    ...(config.demo ? [] : ['demo']),
    ...(limits['requestsPerMinute'] === 0 ? ['coarse limit'] : []),
  ]
}
