import type { Config } from './config.ts'

/** Whether browsers reach this server by https, whoever ends it. */
export function hasTls(config: Pick<Config, 'tls' | 'trustProxy'>): boolean {
  return config.tls !== undefined || config.trustProxy > 0
}

/** Where the public listener binds to; undefined: every address. */
export function publicAddress(config: Pick<Config, 'host' | 'tls'>): string | undefined {
  return config.host ?? (config.tls === undefined ? '127.0.0.1' : undefined)
}
