import type { IncomingMessage } from 'node:http'
import { OAuthError } from '@svc/oauth-core'
import { type Instances, requirement, type Route, type RouteAuth } from '@svc/platform'
import { recordKey, type Store } from '@svc/store'
import { hasTls, publicAddress } from '../../config/addressing.ts'
import { isLocalhost, isLoopback } from '../../config/own-names.ts'
import type { Config } from '../../config/config.ts'
import type { DevPages } from '../../services.ts'
import type { HostLog } from '../../log/log.ts'

export interface DevPagesOptions {
  readonly config: Config
  readonly store: Store
  readonly instances: Pick<Instances, 'list'>
  readonly log: HostLog
  /** Whether anything is kept that they could show. */
  readonly isUsed: boolean
  /** Tells the operator something in a sentence. */
  readonly notice: (text: string) => void
}

const MARK = recordKey('host', 'dev-pages', 'off')
const PROXY_HEADER = /^(?:x-forwarded-.*|x-real-ip|forwarded|via)$/

/**
 * Decides who may see `/dev/*`. What is kept there opens instances, and a proxy on this machine may say nothing of whom
 * it asks for, as nginx does by default: so the pages exist only while nobody elsewhere can be meant.
 */
export function createDevPages(options: DevPagesOptions): DevPages {
  const { config, store, instances, log, notice } = options
  let isOff = !options.isUsed || !isPossible(config)

  async function turnOff(host: string): Promise<void> {
    isOff = true
    const { written } = await store.write([
      { op: 'put', key: MARK, value: { host }, ifAbsent: true },
    ])
    if (!written) return
    log.warn('dev_pages.off', { host })
    notice(
      `${host} is no name of this machine, so /dev/mails and /dev/outbox are off for this store from now on.\n` +
        '`svc mails` and `svc outbox` show the same.',
    )
  }

  async function noteHosts(hosts: readonly string[]): Promise<void> {
    const other = isOff ? undefined : hosts.find((host) => !isLocalhost(host))
    if (other !== undefined) await turnOff(other)
  }

  async function areOn(): Promise<boolean> {
    if (isOff) return false
    isOff = (await store.get(MARK)) !== undefined
    let cursor: string | undefined
    do {
      const page = await instances.list(cursor === undefined ? {} : { cursor })
      for (const { domain, aliases } of page.instances) await noteHosts([domain, ...aliases])
      cursor = page.cursor
    } while (cursor !== undefined && !isOff)
    return !isOff
  }

  return { areOn, noteHosts }
}

/** What the pages stand on. */
export interface DevPageServices {
  readonly devPages: Pick<DevPages, 'areOn'>
}

/** A browser on this machine, while the pages exist. To everybody else they do not. */
const requireOwnMachine: RouteAuth<DevPageServices> = requirement(
  ['none'],
  async function requireOwnMachine(ctx, { devPages }) {
    // Another name is that of a page that has this machine's address, too (DNS rebinding).
    const isHere = isLocalhost(ctx.get('Host').toLowerCase()) && isDirect(ctx.req)
    if (!isHere || !(await devPages.areOn())) throw new OAuthError('not_found')
  },
)

/** What the routes of these pages share. */
export const DEV_PAGE: Pick<
  Route<DevPageServices>,
  'auth' | 'family' | 'method' | 'source' | 'statuses'
> = {
  method: 'GET',
  auth: requireOwnMachine,
  family: 'html',
  statuses: [200, 404],
  source: 'architecture.md 5',
}

function isPossible(config: Config): boolean {
  const isSwitchedOff = config.isProduction || config.devPages === 'off'
  return !isSwitchedOff && !hasTls(config) && isLoopback(publicAddress(config) ?? '')
}

/** Whether a program on this machine asks, and no proxy for a visitor. The caller checks the name in `Host`. */
export function isDirect({ headers, httpVersion, socket }: IncomingMessage): boolean {
  return (
    isLoopback(socket.remoteAddress ?? '') &&
    // What proxies speak unless they are told otherwise.
    httpVersion === '1.1' &&
    !Object.keys(headers).some((name) => PROXY_HEADER.test(name))
  )
}
