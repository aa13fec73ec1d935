import {
  defineOptions,
  flag,
  integer,
  type OptionsDefinition,
  type OptionsFor,
  type Problem,
  type Settled,
  text,
} from '@svc/platform/options'
import { type DkimOptions, dkimOptions } from './dkim.ts'

/** Where mails are handed over. @see notifications.md 10.2 */
export interface SmtpOptions {
  /**
   * `-` switches mail off: counts as done, nothing is sent.
   * @defaultValue `localhost`
   */
  readonly host?: string
  /** TCP port of the server. @defaultValue `25` */
  readonly port?: number
  /** Who hands mails over. */
  readonly username?: string
  /** Of that user. */
  readonly password?: string
  /** TLS from the first byte. Neither this nor `disableTls`: STARTTLS is mandatory. @defaultValue `false` */
  readonly useSsl?: boolean
  /** Plain text. Not together with `useSsl`. @defaultValue `false` */
  readonly disableTls?: boolean
  /** Name said in EHLO: a host name, or an address in brackets. @defaultValue the domain of the sender's address */
  readonly localName?: string
  /** Takes any certificate. @defaultValue `false` */
  readonly skipCertificateValidation?: boolean
  /** Sends a password over plain text to a host that is not loopback. @defaultValue `false` */
  readonly allowInsecureAuth?: boolean
  /** Signs every mail. @defaultValue the next hop signs: large mailbox providers accept no one-click unsubscribe link without it */
  readonly dkim?: DkimOptions
}

export type SettledSmtpOptions = Settled<
  SmtpOptions,
  'dkim' | 'localName' | 'password' | 'username'
>

/** @see RFC 5321 4.1.2 "Domain", 4.1.3 */
const CLIENT_NAME = /^(?:[a-z\d](?:[a-z\d.-]{0,253}[a-z\d])?|\[[a-z\d:.]{1,60}\])$/i

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1'])

export const SMTP_OPTIONS: OptionsDefinition<SettledSmtpOptions> = defineOptions(
  {
    host: text('a host').or('localhost'),
    port: integer(1, 65_535).or(25),
    username: text('a text', {}).optional(),
    password: text('a text', {}).optional(),
    useSsl: flag().or(false),
    disableTls: flag().or(false),
    localName: text('a host name, or an address in brackets', (name) =>
      CLIENT_NAME.test(name),
    ).optional("the domain of the sender's address"),
    skipCertificateValidation: flag().or(false),
    allowInsecureAuth: flag().or(false),
    dkim: dkimOptions().optional('the next hop signs'),
  } satisfies OptionsFor<SmtpOptions>,
  { check: contradiction },
)

function contradiction(options: SettledSmtpOptions): Problem {
  const { host, username, password, useSsl, disableTls, allowInsecureAuth } = options
  if (useSsl && disableTls) return { disableTls: 'cannot be on together with useSsl' }
  const hasLogin = username !== undefined || password !== undefined
  const isExposed = disableTls && !LOOPBACK.has(host) && !allowInsecureAuth
  return hasLogin && isExposed
    ? { disableTls: 'would let the password travel in plain text' }
    : undefined
}
