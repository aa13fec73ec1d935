import { appHost, type Instance, type Instances } from '@svc/platform'
import { isLocalhost } from '../config/own-names.ts'
import type { Site } from './check.ts'

/** Of more instances a part is looked at: the newest, and random others. */
const NEWEST = 10
const RANDOM = 10
/** Enough for a sample, and done within a moment. */
const MOST = 10_000
/** Every instance has this app. */
const SLUG = 'settings'

/** Whether any domain or alias is not of this machine. */
export async function hasOutsideDomain(instances: Pick<Instances, 'list'>): Promise<boolean> {
  for await (const { domain, aliases } of eachInstance(instances)) {
    if ([domain, ...aliases].some((host) => !isLocalhost(host))) return true
  }
  return false
}

/** All instances where there are few, else some of them. */
export async function sampleSites(instances: Pick<Instances, 'list'>): Promise<Site[]> {
  const newest: Instance[] = []
  const others: Instance[] = []
  let seen = 0
  for await (const instance of eachInstance(instances)) {
    newest.push(instance)
    newest.sort((one, other) => other.createdAt - one.createdAt)
    const dropped = newest.length > NEWEST ? newest.pop() : undefined
    if (dropped !== undefined) {
      // Every one of the others has the same chance to stay.
      const at = others.length < RANDOM ? others.length : Math.floor(Math.random() * (seen + 1))
      if (at < RANDOM) others[at] = dropped
      seen += 1
    }
  }
  return [...newest, ...others].map(toSite)
}

export function toSite({ domain, isHttps, subdomains }: Instance): Site {
  return { domain, isHttps, appHost: appHost(domain, SLUG, subdomains) }
}

/** How many instances there are; no more than 10 000 are counted. */
export async function countInstances(instances: Pick<Instances, 'list'>): Promise<string> {
  let count = 0
  for await (const _instance of eachInstance(instances)) count += 1
  return count < MOST ? String(count) : `${MOST} or more`
}

async function* eachInstance(instances: Pick<Instances, 'list'>): AsyncGenerator<Instance> {
  let cursor: string | undefined
  let count = 0
  do {
    const page = await instances.list(cursor === undefined ? {} : { cursor })
    for (const instance of page.instances) {
      if (count >= MOST) return
      count += 1
      yield instance
    }
    cursor = page.cursor
  } while (cursor !== undefined)
}
