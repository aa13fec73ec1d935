import type { Change, Page, PageRequest } from '@svc/store'
import type {
  Instance,
  InstanceId,
  InstanceRecord,
  InstanceSettings,
  InstanceStatus,
} from './instance.ts'

export interface NewInstance {
  /** Host, with the port when it is not the scheme's default. */
  readonly domain: string
  readonly aliases?: readonly string[]
  readonly context?: string
  /** @defaultValue `en` */
  readonly locale?: string
  readonly timeZone?: string
  readonly email?: string
  readonly publicName?: string
  readonly defaultRedirection?: string
  readonly settings?: InstanceSettings
}

/** What may be changed of an instance; `null` clears. */
export interface InstanceUpdate {
  readonly aliases?: readonly string[]
  readonly context?: string | null
  readonly locale?: string
  readonly timeZone?: string | null
  readonly email?: string | null
  readonly publicName?: string | null
  readonly defaultRedirection?: string | null
  readonly status?: InstanceStatus
  readonly settings?: InstanceSettings
}

/** The instances of a store. Records are cached in process, dropped by the bus, never older than 1 s. */
export interface Instances {
  /**
   * Creates the instance with its keys. `also` joins the same write (records of other packages for the new id).
   * @throws TypeError for a malformed domain, Error with code `domain_taken`
   */
  create(input: NewInstance, also?: (id: InstanceId) => readonly Change[]): Promise<Instance>
  /** By domain or alias, or undefined. */
  byHost(host: string): Promise<Instance | undefined>
  byId(id: InstanceId): Promise<Instance | undefined>
  list(page?: PageRequest): Promise<Page<never> & { readonly instances: readonly Instance[] }>
  update(id: InstanceId, update: InstanceUpdate): Promise<Instance>
  /** Takes the instance out of service, then removes its records and frees its domains. */
  remove(id: InstanceId): Promise<void>
  /** The record as it is stored now, past the cache. */
  fresh(id: InstanceId): Promise<InstanceRecord | undefined>
}
