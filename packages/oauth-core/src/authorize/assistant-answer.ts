import type { Instance, Parameters, RouteContext } from '@svc/platform'
import type { Change } from '@svc/store'
import { type Client, clientTarget } from '../clients/client.ts'
import { hostOfClientId } from '../client-documents/identifier.ts'
import type { AssistantAllowed, AssistantNews } from '../ports.ts'
import { byOwner } from '../registration/activity-source.ts'
import type { OAuthServices } from '../services.ts'
import { findChoice, newsOf, rememberChoice } from './assistant-choice.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import type { ConsentAnswer } from './consent-choice.ts'
import { assistantDuration } from './consent-durations.ts'
import type { LiveAccess } from './live-access.ts'
import { leaveTo, refusedLocation } from './redirect.ts'

// What an owner answers on the page of an assistant. @see assistants.md 5.4, 7.4

/** Whether the owner pressed the other button. */
export function isRefusal(
  form: Pick<Parameters, 'text'>,
  { resource }: Pick<AuthorizeRequest, 'resource'>,
): boolean {
  return resource !== undefined && form.text('answer') === 'refuse'
}

/** Sends the owner back with the refusal. What the assistant has already goes on. @see assistants.md 1.7 */
export async function refuseAssistant(
  ctx: RouteContext,
  services: OAuthServices,
  request: AuthorizeRequest,
): Promise<void> {
  const { activity, clientAddress, log, store } = services
  const { instance, client, resource, scope } = request
  const { id } = client
  const noted = activity.pending(instance, {
    ...byOwner(ctx, services),
    event: 'consent.refused',
    target: clientTarget(client),
    detail: { scope },
  })
  if (noted.length > 0) await store.write(noted)
  log.info('assistant.refused', {
    domain: instance.domain,
    clientId: id,
    ...hostOf(client),
    scope,
    address: clientAddress(ctx),
    resource: resource?.path ?? '',
  })
  leaveTo(ctx, refusedLocation(request))
}

/** What goes with a grant to an assistant. */
interface Remembered {
  /** Path of the resource. */
  readonly resource: string
  /** Writes what the owner chose. */
  readonly remember: Change
  readonly news?: AssistantNews
}

/** Undefined: the answer is not about an assistant. */
export async function rememberedOf(
  { clock, options, store }: Pick<OAuthServices, 'clock' | 'options' | 'store'>,
  { request, duration }: Pick<ConsentAnswer, 'duration' | 'request'>,
  live: LiveAccess,
): Promise<Remembered | undefined> {
  const { instance, client, resource, scope, permissions } = request
  if (resource === undefined) return undefined
  const before = await findChoice({ store }, request)
  const news = newsOf(permissions, live, before)
  const remember = rememberChoice(instance, {
    clientId: client.id,
    resource: resource.path,
    scope,
    duration: assistantDuration(options.assistants.maxDuration, duration),
    at: clock.now(),
  })
  return { resource: resource.path, remember, ...(news === undefined ? {} : { news }) }
}

interface Allowed extends Omit<AssistantAllowed, 'endsAt' | 'instance'> {
  readonly endsAt?: number
}

/** Tells the other packages, and the operator. */
export function noteAllowed(
  { emitter, log }: Pick<OAuthServices, 'emitter' | 'log'>,
  instance: Instance,
  { client, endsAt = 0, userAgent, resource, scope, address, news }: Allowed,
): void {
  const why = news === undefined ? {} : { news }
  const allowed = { resource, scope, address, endsAt, ...why }
  emitter.emit('assistant.allowed', { instance, client, userAgent, ...allowed })
  const { domain } = instance
  log.info('assistant.allowed', { domain, clientId: client.id, ...hostOf(client), ...allowed })
}

function hostOf({ document }: Client): { readonly host?: string } {
  return document === undefined ? {} : { host: hostOfClientId(document.url) }
}
