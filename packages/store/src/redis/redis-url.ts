import type { ConnectionOptions } from 'node:tls'

/** One Redis, found by address. */
export interface RedisAddress {
  /** Name or address. */
  readonly host: string
  /** TCP port. @defaultValue `6379`, of a sentinel `26379` */
  readonly port?: number
}

/** Where Redis is: exactly one of `host`, `nodes` (Cluster) and `sentinels` with `master`. */
export interface RedisTarget {
  /** Name or address of a single Redis. */
  readonly host?: string
  /** TCP port of that Redis. @defaultValue `6379` */
  readonly port?: number
  /** Some nodes of a Cluster; the others are found through them. */
  readonly nodes?: readonly RedisAddress[]
  /** Sentinels that know where the master is. */
  readonly sentinels?: readonly RedisAddress[]
  /** The name that the sentinels know the master by. */
  readonly master?: string
  /** User of Redis's access list. */
  readonly username?: string
  /** Password of that user, or the one that all users share. */
  readonly password?: string
  /** Password of the sentinels themselves. */
  readonly sentinelPassword?: string
  /** Number of the database, not for Cluster. */
  readonly db?: number
  /** Encrypts the connection; `true` for the defaults. */
  readonly tls?: true | ConnectionOptions
}

const URL_FORM =
  /^(rediss?)(\+sentinel|\+cluster)?:\/\/(?:([^@/]*)@)?([^/?]+)(?:\/([^?]*))?(?:\?(.*))?$/

/**
 * Reads where Redis is:
 * - `redis://[user:password@]host[:port][/db]`, `rediss://` with TLS;
 * - several of them, separated by commas or as an array: nodes of a Cluster; also `redis+cluster://h1,h2`;
 * - `redis+sentinel://[user:password@]h1[:port],h2/<master>[/db][?sentinelPassword=…]`, `rediss+sentinel://` with TLS.
 * @throws TypeError when it is none of these; the message never carries the password
 * @see decision D53
 * @example
 * const { host, port } = redisOptionsFromUrl('redis://127.0.0.1:6379')
 */
export function redisOptionsFromUrl(url: string | readonly string[]): RedisTarget {
  const urls = (typeof url === 'string' ? url.trim().split(/[\s,]+(?=rediss?:\/\/)/) : url).map(
    (one) => parse(one.trim()),
  )
  const [first] = urls
  if (first === undefined) throw new TypeError('no Redis URL is given')
  if (urls.length === 1) return first
  if (urls.some((one) => one.host === undefined || one.db !== undefined)) {
    throw new TypeError('several Redis URLs name the nodes of a Cluster: redis://host:port each')
  }
  const nodes = urls.map(({ host = '', port }) => (port === undefined ? { host } : { host, port }))
  const { host: _host, port: _port, ...shared } = first
  return { ...shared, nodes }
}

function parse(url: string): RedisTarget {
  const [, scheme, kind, credentials, hosts, path = '', query = ''] = URL_FORM.exec(url) ?? []
  if (hosts === undefined) {
    throw new TypeError('a Redis URL reads redis://host:port, rediss://… or redis+sentinel://…')
  }
  const shared = { ...(scheme === 'rediss' && { tls: true as const }), ...login(credentials) }
  const addresses = hosts.split(',').map(address)
  const [first] = addresses
  if (kind === '+sentinel') {
    const [master = '', db = ''] = path.split('/')
    if (master === '')
      throw new TypeError('a sentinel URL names the master: redis+sentinel://h1/name')
    const password = new URLSearchParams(query).get('sentinelPassword')
    return {
      ...shared,
      ...database(db),
      ...(password !== null && { sentinelPassword: password }),
      sentinels: addresses,
      master: decode(master),
    }
  }
  if (kind === '+cluster' || addresses.length > 1) {
    if (path !== '') throw new TypeError('a Redis Cluster has no numbered databases')
    return { ...shared, nodes: addresses }
  }
  return { ...shared, ...first, ...database(path) }
}

function address(text: string): RedisAddress {
  const [, ipv6, name, port] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? []
  const host = ipv6 ?? name
  if (host === undefined || Number(port ?? 0) > 65_535) throw new TypeError('malformed Redis host')
  return port === undefined ? { host } : { host, port: Number(port) }
}

function login(credentials: string | undefined): { username?: string; password?: string } {
  if (credentials === undefined || credentials === '') return {}
  const [username = '', ...rest] = credentials.split(':')
  const password = rest.join(':')
  return {
    ...(username !== '' && { username: decode(username) }),
    ...(password !== '' && { password: decode(password) }),
  }
}

function database(path: string): { db?: number } {
  if (path === '') return {}
  if (!/^\d{1,5}$/.test(path)) throw new TypeError('a Redis database is a number')
  return { db: Number(path) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('malformed escape in a Redis URL')
  }
}
