import { createHash } from 'node:crypto'
import { type IndexKey, indexKey, type Key, type Page, secretKey, type Store } from '@svc/store'
import { hostName } from './domain.ts'
import { shardOf, shardTag } from './host-shards.ts'
import type { InstanceId, Subdomains } from './instance.ts'

/**
 * What tells which hosts share cookies. Cookies know no port (RFC 6265 section 8.5), so hosts are compared by their names:
 * no name is two instances'. With nested subdomains the cookies of an instance also reach every host below its domain, so
 * none of these may be somebody else's: `example.com` is not free while `alice.example.com` is taken.
 */
export interface NestingServices {
  readonly store: Store
  readonly subdomains: Subdomains
  /** Which instance holds a host. */
  readonly ownerOf: (host: string) => Promise<InstanceId | undefined>
}

interface NoteRecord {
  readonly [name: string]: string
  readonly id: InstanceId
  readonly host: string
}

interface Claim {
  readonly host: string
  readonly owner: InstanceId
}

const PAGE = 100

/** Notes the hosts under their names and all names above them. To be called when they are claimed. */
export async function noteHosts(
  { store, subdomains }: NestingServices,
  id: InstanceId,
  hosts: readonly string[],
): Promise<void> {
  const notes = hosts.flatMap((host) =>
    placesOf(subdomains, host).map((place) => ({ ...place, host })),
  )
  await Promise.all(
    notes.map(({ name, index, host }) =>
      store.write([
        {
          op: 'put',
          key: noteKey(name, host),
          value: { id, host },
          indexes: [
            { index, sort: host.slice(0, 253) },
            { index: indexKey(shardTag(shardOf(name)), 'host-notes'), sort: '' },
          ],
        },
      ]),
    ),
  )
}

/** Takes back what was noted for this instance. */
export async function forgetHost(
  { store, subdomains }: NestingServices,
  id: InstanceId,
  host: string,
): Promise<void> {
  for (const { name } of placesOf(subdomains, host)) {
    const record = await store.get<NoteRecord>(noteKey(name, host))
    if (record?.value.id !== id) continue
    await store.write([{ op: 'delete', key: record.key, ifRevision: record.revision }])
  }
}

/**
 * A claimed host of the same name, above or below, that keeps the instance from having this one: another instance's,
 * or its own of which it would be an app host. Of two that are claimed at the same time, whoever asks after noting
 * its own sees the other.
 * @param id - absent: of an instance that is not there yet
 */
export async function conflictOf(
  services: NestingServices,
  id: InstanceId | undefined,
  host: string,
): Promise<string | undefined> {
  const { subdomains } = services
  const name = hostName(host)
  const same = await firstTaken(services, indexOf('at', name), ({ owner }) => owner === id)
  if (same !== undefined || subdomains === 'flat') return same
  for (const [position, above] of namesAbove(name).entries()) {
    const isFree = ({ owner }: Claim): boolean => owner === id && position > 0
    const taken = await firstTaken(services, indexOf('at', above), isFree)
    if (taken !== undefined) return taken
  }
  return firstTaken(services, indexOf('below', name), ({ owner }) => owner === id)
}

/** Where a host is noted: `at` its name, and `below` all names above that matter. */
function placesOf(
  subdomains: Subdomains,
  host: string,
): { readonly name: string; readonly index: IndexKey }[] {
  const name = hostName(host)
  const above = subdomains === 'nested' ? namesAbove(name) : []
  return [
    { name, index: indexOf('at', name) },
    ...above.map((each) => ({ name: each, index: indexOf('below', each) })),
  ]
}

async function firstTaken(
  services: NestingServices,
  index: IndexKey,
  isFree: (claim: Claim) => boolean,
): Promise<string | undefined> {
  for await (const claim of claimsIn(services, index)) {
    if (!isFree(claim)) return claim.host
  }
  return undefined
}

async function* claimsIn(
  { ownerOf, store }: NestingServices,
  index: IndexKey,
): AsyncGenerator<Claim> {
  let cursor: string | undefined
  do {
    const page: Page<NoteRecord> = await store.list<NoteRecord>(index, {
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const { value } of page.records) {
      // A note that a dead process left behind names nobody's host.
      const owner = await ownerOf(value.host)
      if (owner !== undefined) yield { host: value.host, owner }
    }
    cursor = page.cursor
  } while (cursor !== undefined)
}

/** `example.com` and `com` of `alice.example.com`. */
function namesAbove(name: string): string[] {
  const labels = name.split('.')
  return labels.slice(1).map((_, position) => labels.slice(position + 1).join('.'))
}

function noteKey(name: string, host: string): Key {
  return secretKey(shardTag(shardOf(name)), 'host-below', `${name} ${host}`)
}

function indexOf(place: 'at' | 'below', name: string): IndexKey {
  const digest = createHash('sha256').update(name).digest('base64url')
  return indexKey(shardTag(shardOf(name)), `${place}:${digest}`)
}
