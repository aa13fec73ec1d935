import type { Client } from '@svc/oauth-core'
import { DAY_MS, defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import { imitated } from '../consent/look-alike.ts'
import { enrolledKinds, type Factors, isFirstWay, isSecondFactorOn } from '../owner/factors.ts'
import type { Owner } from '../owner/owner.ts'
import {
  findProfile,
  type FoundProfile,
  livePending,
  masked,
  undoablePrevious,
} from '../owner/profile.ts'
import type { AuthUiServices } from '../services.ts'
import { requireCheckupReader } from '../web/caller.ts'
import { accessOfClient, listAllowed } from './clients.ts'
import { listDevices } from './devices.ts'
import { answerResources, isoTime } from './json-api.ts'
import { ownerOf } from './settings-owner.ts'

/** How much a finding matters. */
type State = 'ok' | 'advice' | 'urgent'

interface Finding {
  readonly id: string
  readonly state: State
  /** The control that settles it, in the settings app. */
  readonly href: string
  /** What its words need: a number, a name, until when. */
  readonly count?: number
  readonly name?: string
  /** Of an app that renamed itself: what it was called when it was allowed. */
  readonly former?: string | undefined
  readonly until?: string
}

/** From how many wrong passphrases on, in the hour that is counted, the owner is told, and warned. */
const FAILURES = { advice: 3, urgent: 20 }
const FEW_CODES = 3
const UNUSED_MS = 90 * DAY_MS
const UNSEEN_MS = 30 * DAY_MS

/** What an owner should look at. Computed, stored nowhere. @see owner.md 4.4 */
export const checkupRoutes: readonly Route<AuthUiServices>[] = [
  defineRoute({
    method: 'GET',
    path: '/settings/checkup',
    handler: showCheckup,
    auth: requireCheckupReader,
    statuses: [200, 400, 401, 403],
    family: 'jsonapi',
    cors: 'app-origins',
    summary: 'Checks how safe the space is: each check with `ok`, `advice` or `urgent`.',
    source: 'owner.md 4.4',
  }),
]

async function showCheckup(ctx: RouteContext, services: AuthUiServices): Promise<void> {
  const { instance } = ctx.state
  const owner = await ownerOf(services, ctx)
  const found = await findProfile(services, instance)
  const clients = await listAllowed(services, instance)
  const findings = [
    ofEmailChange(found),
    // Early: a page shows five.
    await ofRenamed(services, instance, clients),
    ofFailures(await services.limits.count(instance, 'auth')),
    ...ofFactors(owner),
    await ofApps(services, instance, clients),
    await ofDevices(services, instance, owner),
    ofMagicLink(owner),
    finding('no-email', (found.instance.email ?? '') === '' && 'advice', '#/profile/address'),
  ]
  answerResources(
    ctx,
    findings.map(({ id, ...attributes }) => ({
      type: `${services.namespace}.checkup`,
      id,
      attributes,
    })),
  )
}

function ofEmailChange({ profile, now }: FoundProfile): Finding {
  const href = '#/profile/address'
  const previous = undoablePrevious(profile, now)
  if (previous !== undefined) {
    const { address, until } = previous
    return {
      ...finding('email-undo', 'urgent', href),
      name: masked(address),
      until: isoTime(until),
    }
  }
  const pending = livePending(profile, now)
  if (pending === undefined) return finding('email-pending', false, href)
  const { address, expiresAt } = pending
  return { ...finding('email-pending', 'advice', href), name: address, until: isoTime(expiresAt) }
}

function ofFailures(count: number): Finding {
  const state = count >= FAILURES.urgent ? 'urgent' : count >= FAILURES.advice && 'advice'
  return { ...finding('login-failures', state, '#/security/second-step'), count }
}

/** Login with one thing only, too few recovery codes, passkeys that a reset suspended. */
function ofFactors({ factors, securityStamp }: Owner): readonly Finding[] {
  const { passkeys = [], recovery } = factors ?? {}
  const isAlone =
    !isSecondFactorOn(factors) && !passkeys.some((key) => isFirstWay(key, securityStamp))
  const left = recovery?.hashes.length ?? 0
  const suspended = passkeys.filter(
    (key) => key.firstWay === true && !isFirstWay(key, securityStamp),
  )
  return [
    finding('one-factor', isAlone && 'advice', '#/security/second-step'),
    {
      ...finding('recovery-codes', lacksCodes(factors, left), '#/security/recovery-codes'),
      count: left,
    },
    {
      ...finding('passkeys', suspended.length > 0 && 'urgent', '#/security/passkeys'),
      count: suspended.length,
    },
  ]
}

/** Codes stand beside another factor: without one there are none to make. */
function lacksCodes(factors: Factors | undefined, left: number): State | false {
  const isOn = enrolledKinds(factors).some((kind) => kind !== 'recovery')
  return isOn && left < FEW_CODES && 'advice'
}

/** An app that took a name of the space after it was allowed. @see decision D103 */
async function ofRenamed(
  { apps, pages }: AuthUiServices,
  instance: Instance,
  clients: readonly Client[],
): Promise<Finding> {
  const renamed = clients.filter(({ formerName }) => formerName !== undefined)
  // Asked for only where somebody has another name.
  const installed = renamed.length === 0 ? [] : await apps.listInstalled(instance)
  const ownNames = pages.ownNames(
    instance,
    installed.map(({ name }) => name),
  )
  const found = renamed.find(({ metadata }) => imitated(metadata.client_name, ownNames))
  if (found === undefined) return finding('renamed-app', false, '#/apps')
  return {
    ...finding('renamed-app', 'urgent', `#/apps/${encodeURIComponent(found.id)}`),
    name: found.metadata.client_name,
    former: found.formerName,
  }
}

/** An app that could delete, and that nobody has used for long. */
async function ofApps(
  services: AuthUiServices,
  instance: Instance,
  clients: readonly Client[],
): Promise<Finding> {
  const before = services.clock.now() - UNUSED_MS
  const unused = []
  for (const client of clients) {
    if ((client.lastUsedAt ?? client.createdAt) > before) continue
    const { permissions } = await accessOfClient(services, instance, client)
    if (permissions.some(({ verbs }) => verbs.includes('DELETE'))) unused.push(client)
  }
  const [first] = unused
  if (first === undefined) return finding('unused-app', false, '#/apps')
  return {
    ...finding('unused-app', 'advice', `#/apps/${encodeURIComponent(first.id)}`),
    count: unused.length,
    name: services.pages.clientName(instance.locale, first),
  }
}

async function ofDevices(
  services: AuthUiServices,
  instance: Instance,
  owner: Owner,
): Promise<Finding> {
  const before = services.clock.now() - UNSEEN_MS
  const unseen = (await listDevices(services, instance, owner)).filter(
    ({ lastSeen }) => lastSeen < before,
  )
  const last = unseen.at(-1)
  const href = last === undefined ? '#/devices' : `#/devices/${encodeURIComponent(last.id)}`
  return {
    ...finding('unseen-device', unseen.length > 0 && 'advice', href),
    count: unseen.length,
  }
}

function ofMagicLink({ factors, magicLink }: Owner): Finding {
  const isRisk = magicLink === true && !isSecondFactorOn(factors)
  return finding('magic-link', isRisk && 'advice', '#/security/login-link')
}

/** @param wrong - false: there is nothing to find */
function finding(id: string, wrong: State | false, href: string): Finding {
  return { id, state: wrong === false ? 'ok' : wrong, href }
}
