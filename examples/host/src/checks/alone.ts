import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appHost } from '@svc/platform'
import { type Store, systemClock } from '@svc/store'
import type { RedisFacts } from '@svc/store/redis'
import { hasTls } from '../config/addressing.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { isLocalhost } from '../config/own-names.ts'
import { createLog } from '../log/log.ts'
import { openStore } from '../storage/open-store.ts'
import { type KeySource, readSealingKeys } from '../storage/sealing-keys.ts'
import type { CheckResult, Site } from './check.ts'
import { type DoctorAnswer, examineInside } from './doctor.ts'
import type { Names } from './names.ts'
import { StoreVersionError } from '../storage/store-version.ts'
import { probeStore } from './probe-store.ts'
import { versionFault } from './store-version.ts'

/** Looks at the configuration and the store while no server runs. Nothing is written, and no store is made. */
export async function examineAlone(
  config: Config,
  names: Names,
  isOffline: boolean,
  domain: string | undefined,
): Promise<DoctorAnswer> {
  const log = createLog('silent')
  const found: CheckResult[] = [
    {
      id: 'server',
      state: 'warning',
      text: 'No server answers, so only the configuration and the store were looked at.',
      remedy: 'Start it, and ask again.',
    },
  ]
  const keys = readKeys(config, found)
  const redis = await probeStore(config, found)
  const store = await open(config, redis, found)
  try {
    const sites = domain === undefined ? [] : [siteOf(domain, config)]
    const checks = await examineInside(
      {
        config,
        clock: systemClock,
        log,
        names,
        sites,
        hasOutsideDomain: domain !== undefined && !isLocalhost(domain),
        ...(keys !== undefined && { keys }),
        ...(redis !== undefined && { redis }),
        ...(store !== undefined && { store }),
      },
      isOffline,
    )
    return { sites, checks: [...found, ...checks] }
  } finally {
    await store?.close()
  }
}

function readKeys(config: Config, found: CheckResult[]): KeySource | undefined {
  try {
    return readSealingKeys(config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    found.push(...error.faults.map((text) => faultOf('keys.open', `${text}.`)))
    return undefined
  }
}

async function open(
  config: Config,
  redis: RedisFacts | undefined,
  found: CheckResult[],
): Promise<Store | undefined> {
  const file = join(config.dataDir, 'store.db')
  const isThere = config.store === 'sqlite' ? existsSync(file) : redis !== undefined
  if (!isThere) return undefined
  const options = { config, log: createLog('silent'), clock: systemClock, settles: false }
  return openStore(options).catch((error: Error) => {
    const isVersion = error instanceof StoreVersionError
    found.push(isVersion ? versionFault(error) : faultOf('store.lock', `${error.message}.`))
    return undefined
  })
}

function faultOf(id: string, text: string, remedy?: string): CheckResult {
  return { id, state: 'fault', text, ...(remedy !== undefined && { remedy }) }
}

function siteOf(domain: string, config: Config): Site {
  return {
    domain,
    isHttps: hasTls(config) || !isLocalhost(domain),
    appHost: appHost(domain, 'settings', config.subdomains),
  }
}
