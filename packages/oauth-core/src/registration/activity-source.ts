import type { ActivityActor, ActivityOrigin } from '@svc/platform'
import type { Context } from 'koa'
import { type Client, clientTarget } from '../clients/client.ts'
import { bowser } from './bowser.ts'
import type { OAuthServices } from '../services.ts'

/** Who did something, and from where. */
export interface ActivitySource {
  readonly actor: ActivityActor
  readonly origin?: ActivityOrigin
}

/** Where nobody asked for it. */
export const BY_SERVER: ActivitySource = { actor: { kind: 'server' } }

/** A longer header is no browser's; the parser's expressions see only this much of it. */
const MAX_LENGTH = 512

/** The owner, whose browser makes the request. */
export function byOwner(
  ctx: Context,
  { clientAddress }: Pick<OAuthServices, 'clientAddress'>,
): ActivitySource {
  return { actor: { kind: 'owner' }, origin: originOf(ctx, clientAddress(ctx)) }
}

/** A client itself. */
export function byClient(
  client: Client,
  ctx: Context,
  { clientAddress }: Pick<OAuthServices, 'clientAddress'>,
): ActivitySource {
  return { actor: clientTarget(client), origin: { ip: clientAddress(ctx) } }
}

/** Where a request comes from. */
export function originOf(ctx: Context, ip: string): ActivityOrigin {
  const userAgent = ctx.get('User-Agent').slice(0, MAX_LENGTH)
  if (userAgent === '') return { ip }
  const { browser, os } = bowser().parse(userAgent)
  return { ip, browser: browser.name ?? '', os: os.name ?? '' }
}
