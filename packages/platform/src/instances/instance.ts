import type { Revision } from '@svc/store'

/** Random, immutable id of an instance; the hash tag of all its keys. Never shown outside. */
export type InstanceId = string & { readonly __instanceId: 'InstanceId' }

/**
 * Whether the administrator lets the instance be used. `deleting`: answers 404 while its records go. `importing`: answers
 * 503 while they come.
 */
export type InstanceStatus = 'active' | 'blocked' | 'deleting' | 'importing'

/** Why and how long an instance is not to be changed. @see operation.md 4.3.4, 4.3.5 */
export interface Freeze {
  readonly [name: string]: number | undefined
  /** It ends by itself then, milliseconds since the epoch: whoever froze the instance may have died. Absent: for good. */
  readonly until?: number
  /** When an export of it was completed: a second copy may be alive. */
  readonly exportedAt?: number
}

/** What is stored of an instance. Times are milliseconds since the epoch. */
export interface InstanceRecord {
  readonly id: InstanceId
  /** Host, with the port when it is not the scheme's default; lower case, IDNA ASCII. */
  readonly domain: string
  readonly aliases: readonly string[]
  /** Name of a group of instances with common settings. */
  readonly context?: string
  /** BCP 47 tag. */
  readonly locale: string
  /** IANA name, such as `Europe/Paris`. */
  readonly timeZone?: string
  /** The owner's address: the only recipient of mails. */
  readonly email?: string
  readonly publicName?: string
  /** `slug[/path]` of the app that opens after a login. */
  readonly defaultRedirection?: string
  /** What the host calls the owner in records of its own; unique in the store. */
  readonly externalId?: string
  readonly status: InstanceStatus
  readonly settings: InstanceSettings
  /** It is not to be changed, since it is being exported or was. */
  readonly frozen?: Freeze
  /** While it is being imported: digest of the file that it comes from. */
  readonly importedFrom?: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Operator's settings of one instance. */
export interface InstanceSettings {
  /** How many user-connected clients may exist; absent or negative: no limit. @see oauth.md 3.10 */
  readonly oauthClientsMax?: number
  /** Bytes that it may keep; 0: no limit; absent: what the host gives everybody. @see operation.md 8.1 */
  readonly diskQuota?: number
}

/** An instance as a request sees it: its record and the addresses derived from it. */
export interface Instance extends InstanceRecord {
  readonly revision: Revision
  /** Origin of the instance, such as `https://alice.example.com`; never taken from a request. */
  readonly origin: string
  /** Whether {@link origin} is https: decides Secure cookies and HSTS. */
  readonly isHttps: boolean
  readonly subdomains: Subdomains
}

/** How app hosts are named: `<slug>.<domain>`, or `<first label>-<slug>.<rest>`. @see login.md 3.5 */
export type Subdomains = 'nested' | 'flat'
