import type { Change, PageRequest } from '@svc/store'
import type {
  Instance,
  InstanceId,
  InstanceRecord,
  InstanceSettings,
  InstanceStatus,
} from './instance.ts'

/**
 * What an instance is made of; only its `domain` is mandatory. What is malformed or taken is an `InstanceError`.
 * @see docs/recipes/own-owners.md of the repository
 */
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
  /**
   * What the host calls the owner in records of its own: 1 to 255 printable characters, compared as they are, unique in
   * the store.
   */
  readonly externalId?: string
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
  /** As in {@link NewInstance}; unique in the store. */
  readonly externalId?: string | null
  readonly status?: InstanceStatus
  readonly settings?: InstanceSettings
}

/** What is to become of an instance as it is now; asked again after a lost race. What it throws ends the change. */
export type InstanceRule = (current: Instance) => Promise<{
  readonly update: InstanceUpdate
  /** Changes of other records of the instance, of the same write. */
  readonly also: readonly Change[]
}>

/** Why an instance could not be made of an input: a member, and what is wrong with it. */
export interface InstanceFault {
  readonly path: string
  /** Goes on after the member's name, such as `is malformed`. */
  readonly problem: string
}

/** A page of instances. */
export interface InstancePage {
  readonly instances: readonly Instance[]
  /** Absent on the last page. */
  readonly cursor?: string
}

/** The instances of a store. Records are cached in process, dropped by the bus, never older than 1 s. */
export interface Instances {
  /**
   * Creates the instance with its keys. `also` joins the same write (records of other packages for the new id).
   * @throws TypeError for a malformed domain, InstanceError `domain_taken`, `external_id_taken`
   */
  create(input: NewInstance, also?: (id: InstanceId) => readonly Change[]): Promise<Instance>
  /**
   * What `create` would refuse now, all of it; writes nothing. What another request is making this moment is not seen.
   */
  check(input: NewInstance): Promise<readonly InstanceFault[]>
  /** The one spelling under which a domain is stored, such as `alice.example.com`. @throws TypeError when it is none */
  normalize(domain: string): string
  /** By domain or alias, or undefined. */
  byHost(host: string): Promise<Instance | undefined>
  byId(id: InstanceId): Promise<Instance | undefined>
  /** By what the host calls its owner, or undefined. */
  byExternalId(externalId: string): Promise<Instance | undefined>
  /** In no order that means something; `page.order` is ignored. */
  list(page?: PageRequest): Promise<InstancePage>
  /**
   * @throws TypeError for malformed members, InstanceError `instance_not_found`, `domain_taken`, `external_id_taken`
   */
  update(id: InstanceId, update: InstanceUpdate): Promise<Instance>
  /**
   * Changes the instance together with records of other packages: all of it or nothing.
   * @throws TypeError for malformed members, InstanceError as `update`, and what the rule throws
   */
  changeWith(id: InstanceId, rule: InstanceRule): Promise<Instance>
  /**
   * Takes the instance out of service, then removes its records and frees its domains. A removal that was cut short
   * goes on after a restart. Nothing happens for an unknown id.
   */
  remove(id: InstanceId): Promise<void>
  /**
   * Registers who deletes a package's records of an instance that is removed; may be called again for the same
   * instance. Records that expire within days may be left to expire.
   */
  onRemove(remover: (instance: Instance) => Promise<void>): void
  /** The record as it is stored now, past the cache. */
  fresh(id: InstanceId): Promise<InstanceRecord | undefined>
}
