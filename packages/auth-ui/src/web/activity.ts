import type { ActivityEvent, ActivityOrigin, Instance, RouteContext } from '@svc/platform'
import type { Change } from '@svc/store'
import type { AuthUiServices } from '../services.ts'
import { readUserAgent } from './request-facts.ts'
import type { Visitor } from './visitor.ts'

/** What a row says of its event; who and where from is read of the request. */
export type OwnEvent = Omit<ActivityEvent, 'actor' | 'origin'>

type NotingServices = Pick<AuthUiServices, 'oauth'>

/** The changes that note what the owner did with this request, for the write that does it. */
export function noteOwn(
  services: NotingServices,
  ctx: RouteContext,
  event: OwnEvent,
): readonly Change[] {
  const { oauth } = services
  const origin = originOf(oauth.clientAddress(ctx), ctx.get('User-Agent'))
  return oauth.activity.pending(ctx.state.instance, { ...event, actor: { kind: 'owner' }, origin })
}

/** The same, where a rule knows the visitor alone. */
export function noteOfVisitor(
  { oauth }: NotingServices,
  { instance, address, userAgent }: Visitor,
  event: OwnEvent,
): readonly Change[] {
  const origin = originOf(address, userAgent)
  return oauth.activity.pending(instance, { ...event, actor: { kind: 'owner' }, origin })
}

/** The changes that note what the operator did. */
export function noteOperator(
  { oauth }: NotingServices,
  instance: Instance,
  event: OwnEvent,
): readonly Change[] {
  return oauth.activity.pending(instance, { ...event, actor: { kind: 'operator' } })
}

/** The changes that note what somebody did of whom nobody knows whether it is the owner. */
export function noteUnknown(
  { oauth }: NotingServices,
  { instance, address, userAgent }: Visitor,
  event: OwnEvent,
): readonly Change[] {
  const origin = originOf(address, userAgent)
  return oauth.activity.pending(instance, { ...event, actor: { kind: 'unknown' }, origin })
}

/** Notes a refusal that anybody can cause; bounded, and never rejects. @see owner.md 5.5 */
export async function noteRefused(
  { oauth }: NotingServices,
  ctx: RouteContext,
  event: OwnEvent,
): Promise<void> {
  const origin = originOf(oauth.clientAddress(ctx), ctx.get('User-Agent'))
  await oauth.activity.refused(ctx.state.instance, {
    ...event,
    actor: { kind: 'unknown' },
    origin,
  })
}

/** Where a request comes from, as an entry says it. */
export function originOf(address: string, header: string): ActivityOrigin {
  const { browser, os } = readUserAgent(header)
  return { ip: address, browser, os }
}
