import type { Config } from './config.ts'

/** Whether browsers reach this server by https, whoever ends it. */
export function hasTls(config: Pick<Config, 'tls' | 'trustProxy'>): boolean {
  return config.tls !== undefined || config.trustProxy > 0
}

/** Where the public listener binds to; undefined: every address. */
export function publicAddress(config: Pick<Config, 'host' | 'tls'>): string | undefined {
  return config.host ?? (config.tls === undefined ? '127.0.0.1' : undefined)
}

/** Whether a host, with or without a port, is `localhost` or below it. @see decision D53 */
export function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost(?::\d+)?$/.test(host)
}

/** Whether only this machine reaches an address. */
export function isLoopback(address: string): boolean {
  return /^(?:localhost|::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(address)
}
