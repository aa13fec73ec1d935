import type { Instance } from '@svc/platform'
import type { Change } from '@svc/store'
import { type Client, clientTarget, isPublic, isPublicRegistration } from '../clients/client.ts'
import { formerNameOf, isCounted } from '../clients/client-record.ts'
import type { ClientChange } from '../clients/client-store.ts'
import { listGrants, revokeGrant } from '../engine/grant.ts'
import { UNUSED_CLIENT_MS } from '../lifetimes.ts'
import type { Certification } from '../ports.ts'
import type { OAuthServices } from '../services.ts'
import type { ActivitySource } from './activity-source.ts'
import { admitClient, countConnected, isConnected, limitOf } from './client-limit.ts'

/** Changes a client and notifies everybody who remembers it. */
export async function changeClient(
  { clients, revocations, emitter }: Pick<OAuthServices, 'clients' | 'emitter' | 'revocations'>,
  instance: Instance,
  id: string,
  rule: (client: Client) => ClientChange | undefined,
  also?: (client: Client) => Promise<readonly Change[]>,
): Promise<Client | undefined> {
  let isChanged = false
  const changing = (stored: Client): ClientChange | undefined => {
    const change = rule(stored)
    isChanged = change !== undefined
    return change
  }
  const client = await clients.change(instance, id, changing, also)
  if (client === undefined || !isChanged) return client
  await revocations.publish({ instanceId: instance.id, kind: 'client', id: client.id })
  emitter.emit('client.updated', { instance, client })
  return client
}

/**
 * Notes that the owner allowed the client: no longer pending, and the system of the browser it was done with. Writes
 * only when something changes. Undefined when the client is gone.
 * @param seen.withinLimit - one more must be within `oauthClientsMax`, however many are allowed at once
 * @param seen.redirectUri - where the answer goes: lists know a client without a name by it
 * @param seen.check - throws when the client as it is stored now may not be allowed
 * @throws OAuthError `client_limit`
 */
export async function markAllowed(
  services: OAuthServices,
  instance: Instance,
  id: string,
  {
    os,
    redirectUri,
    withinLimit = false,
    check,
  }: {
    readonly os?: string | undefined
    readonly redirectUri?: string
    readonly withinLimit?: boolean
    readonly check?: (client: Client) => void
  },
): Promise<Client | undefined> {
  const { clock } = services
  let wasConnected = false
  const allow = (stored: Client): ClientChange | undefined => {
    check?.(stored)
    const { pending, os: knownOs, unnamed } = stored
    wasConnected = isConnected(stored)
    const isOsKnown = os === undefined || os === knownOs
    const address = unnamed === undefined ? undefined : redirectUri
    const isAddressKnown = address === undefined || address === unnamed?.redirectUri
    const isOpen = isPublicRegistration(stored)
    if (!pending && isOsKnown && isAddressKnown && !isOpen) return undefined
    return {
      pending: false,
      ...(isOpen ? kept(stored, clock.now()) : {}),
      ...(os === undefined ? {} : { os }),
      ...(address === undefined ? {} : { unnamed: { redirectUri: address } }),
    }
  }
  const admit = (client: Client) => admitClient(services, instance, client)
  const client = await changeClient(services, instance, id, allow, withinLimit ? admit : undefined)
  if (!wasConnected && client !== undefined) await emitExceeded(services, instance, client)
  return client
}

/** SPEC: D91 - before there is a code, so that the clean-up leaves the client alone. No two consents give the same end. */
function kept({ isIdle, keepUntil = 0 }: Client, now: number): ClientChange {
  return {
    keepUntil: Math.max(now + UNUSED_CLIENT_MS, keepUntil + 1),
    ...(isIdle === true ? { isIdle: false } : {}),
  }
}

/**
 * The changes that note what a client says about itself now. One that nobody allowed anything is none of the owner's.
 * @param name - the one that it has from now on
 */
export function noteChange(
  { activity }: Pick<OAuthServices, 'activity'>,
  instance: Instance,
  client: Client,
  name: string,
  by: ActivitySource,
): readonly Change[] {
  if (client.pending) return []
  const metadata = { ...client.metadata, client_name: name }
  const target = clientTarget({ ...client, metadata, formerName: formerNameOf(client, name) })
  return activity.pending(instance, { ...by, event: 'client.changed', target })
}

/** Forgets what a client was called before: its owner was shown both names and allowed the new one. @see decision D103 */
export async function settleName(
  services: OAuthServices,
  instance: Instance,
  { id, metadata }: Client,
): Promise<void> {
  await changeClient(services, instance, id, ({ formerName, metadata: now, document }) => {
    if (formerName === undefined || now.client_name !== metadata.client_name) return undefined
    if (document === undefined) return { formerName: undefined }
    const { formerName: _, ...snapshot } = document
    return { formerName: undefined, document: snapshot }
  })
}

/** What a certification rests on. */
interface CertifyOptions {
  /** The client as it was looked at: one that has other addresses by now stays as it is (D21). */
  readonly verified?: Client
  /** @defaultValue the operator */
  readonly by?: ActivitySource
}

const BY_OPERATOR: ActivitySource = { actor: { kind: 'operator' } }

/**
 * Certifies a client; `store`: also notes that its platform vouches for it. Its answer is the client, undefined when
 * there is none.
 */
export async function certifyClient(
  services: OAuthServices,
  instance: Instance,
  id: string,
  how: Certification,
  { verified, by = BY_OPERATOR }: CertifyOptions = {},
): Promise<Client | undefined> {
  const { emitter, log } = services
  let isNew = false
  const certify = ({
    flagship,
    certifiedFromStore,
    metadata,
  }: Client): ClientChange | undefined => {
    isNew = false
    const { redirect_uris: addresses } = verified?.metadata ?? metadata
    // SPEC: assistants.md 3.4 - who has no secret is never certified, whoever vouches for it.
    if (isPublic({ metadata })) return undefined
    if (JSON.stringify(metadata.redirect_uris) !== JSON.stringify(addresses)) return undefined
    isNew = !flagship
    const isFromStore = certifiedFromStore || how === 'store'
    if (flagship && isFromStore === certifiedFromStore) return undefined
    return { flagship: true, certifiedFromStore: isFromStore }
  }
  const note = async (client: Client): Promise<readonly Change[]> =>
    isNew
      ? services.activity.pending(instance, {
          ...by,
          event: 'client.certified',
          target: clientTarget(client),
          reason: how,
        })
      : []
  const client = await changeClient(services, instance, id, certify, note)
  if (client === undefined || !isNew) return client
  emitter.emit('client.certified', { instance, client, how })
  log.info('client.certified', { domain: instance.domain, clientId: client.id, how })
  return client
}

/** SPEC: oauth.md 11.3 - tokens of scope `*` fail from now on, also should the mark come back. */
export async function withdrawCertification(
  services: OAuthServices,
  instance: Instance,
  id: string,
): Promise<Client | undefined> {
  const { engine } = services
  const client = await changeClient(services, instance, id, ({ flagship, certifiedFromStore }) =>
    flagship || certifiedFromStore ? { flagship: false, certifiedFromStore: false } : undefined,
  )
  if (client === undefined) return undefined
  for (const grant of await listGrants(engine, instance, client.id)) {
    if (grant.scope === '*') await revokeGrant(engine, instance, grant.id, 'not certified')
  }
  return client
}

/** SPEC: oauth.md 3.10 - emitted once, of the client that is counted from now on. */
async function emitExceeded(
  services: OAuthServices,
  instance: Instance,
  { metadata }: Client,
): Promise<void> {
  const limit = limitOf(instance)
  if (limit === undefined || !isCounted(metadata)) return
  if ((await countConnected(services, instance)) <= limit) return
  const clientName = metadata.client_name
  services.emitter.emit('clients.limit.exceeded', { instance, clientName, limit })
}
