import type { Place, RequestFacts } from '../ports.ts'
import { bowser } from './bowser.ts'

const MAX_USER_AGENT_CHARS = 512

/** When, from where and with what a request came, as the history of logins keeps it. */
export interface Observation extends Place {
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly ip: string
  readonly userAgent: string
  /** Empty when unknown. */
  readonly os: string
  /** Empty when unknown. */
  readonly browser: string
}

/** An observation for mails: what is not known is not there. */
export function toFacts({ createdAt, ip, browser, os, city, country }: Observation): RequestFacts {
  const place = [city, country].filter((part) => part !== undefined).join(', ')
  return {
    time: createdAt,
    address: ip,
    ...(browser === '' ? {} : { browser }),
    ...(os === '' ? {} : { os }),
    ...(place === '' ? {} : { place }),
  }
}

/** Operating system and browser of a `User-Agent`, with short names; empty when unknown. */
export function readUserAgent(header: string): {
  readonly userAgent: string
  readonly os: string
  readonly browser: string
} {
  const userAgent = header.slice(0, MAX_USER_AGENT_CHARS).toWellFormed()
  if (userAgent === '') return { userAgent, os: '', browser: '' }
  const { os, browser } = bowser().parse(userAgent)
  // Programs outside the catalogue name themselves first, as `curl/8.5`.
  const product = /^[\w.-]{1,40}/.exec(userAgent)?.[0] ?? ''
  return { userAgent, os: os.name || '', browser: browser.name || product }
}
