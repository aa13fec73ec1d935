import { insufficientScope } from '@svc/oauth-core'
import {
  defineRoute,
  requirement,
  type Route,
  type RouteContext,
  type RouteMiddleware,
} from '@svc/platform'
import { NotifyError } from '../notify-error.ts'
import { toResource } from '../outbox/notification-json.ts'
import type { NotifyServices } from '../services.ts'
import { type Accepted, acceptPost, type AcceptServices } from './accept.ts'
import { requireDraft, requireTitle } from './attributes.ts'
import { POST_BODY, type PostBody } from './attributes.schema.ts'
import { findCategory } from './declarations.ts'
import { idempotentRequest } from './idempotency.ts'
import { malformedJson } from './jsonapi-errors.ts'
import { withinPostLimits } from './post-limits.ts'
import { mayPost, posterOf, type TokenPoster } from './poster.ts'

/** What `POST /notifications` needs. */
export type PostServices = AcceptServices & Pick<NotifyServices, 'apps' | 'namespace' | 'oauth'>

/** Bytes of a body (D36). */
const LIMIT_BYTES = 524_288

/** Checked in the order of notifications.md 3.2. */
export const postRoute: Route<PostServices> = defineRoute({
  method: 'POST',
  path: '/notifications',
  handler: postNotification,
  auth: requirement(['app token', 'access token', 'konnector token'], requirePoster),
  body: {
    types: ['json'],
    withoutType: 'json',
    limitBytes: LIMIT_BYTES,
    keepsDigits: true,
    schema: POST_BODY,
    refuse: () => malformedJson(),
  },
  statuses: [201, 400, 401, 403, 404, 409, 413, 415, 422, 429],
  family: 'jsonapi',
  cors: 'app-origins-or-any',
  limit: [
    {
      bucket: 'notify-post',
      inRule: 'accepted ones of each poster, reserved before the body is read (`countPosts`)',
    },
    {
      bucket: 'notify-post-instance',
      inRule: 'accepted ones of the instance, reserved before the body is read (`countPosts`)',
    },
  ],
  activity: { none: 'Posts of notifications have no entry of their own.' },
  summary: 'Accepts a notification to the owner.',
  source: 'notifications.md 3',
})

async function postNotification(
  ctx: RouteContext<PostBody>,
  services: PostServices,
): Promise<void> {
  const { body, instance } = ctx.state
  const poster = await posterOfRequest(ctx, services)
  const attributes = body?.data.attributes ?? {}
  requireTitle(attributes)
  const { category } = attributes
  const declared = await findCategory(services, instance, poster, category)
  const draft = requireDraft(services, instance, declared, attributes)
  const key = ctx.get('Idempotency-Key')
  const idempotent = idempotentRequest(instance.id, poster.subject, key, attributes)
  const accepted = await acceptPost(services, {
    instance,
    poster,
    declared,
    draft,
    // The declaration was found by it.
    category: String(category),
    ...(idempotent !== undefined && { idempotent }),
  })
  answer(ctx, services, accepted)
}

function answer(
  ctx: RouteContext,
  { namespace }: PostServices,
  { record, skipped, isReplay }: Accepted,
): void {
  const resource = toResource(record, namespace)
  const meta = { ...resource.meta, ...(skipped !== undefined && { skipped }) }
  ctx.status = 201
  ctx.set('Location', resource.links.self)
  if (isReplay === true) ctx.set('Idempotency-Replayed', 'true')
  ctx.type = 'application/vnd.api+json'
  ctx.body = JSON.stringify({ data: { ...resource, meta } })
}

/**
 * Counts a post before its body is read, and gives back what is refused: around the route, since the router's limits
 * come behind the body. Asks for the poster first, whose count it is.
 */
export function countPosts(services: PostServices): RouteMiddleware {
  return async function countPost(ctx, next) {
    const poster = await posterOfRequest(ctx, services)
    await withinPostLimits(services.posting.limits, ctx.state.instance, poster, next)
  }
}

async function requirePoster(ctx: RouteContext, services: PostServices): Promise<void> {
  await posterOfRequest(ctx, services)
}

/** Memoized per request. */
const posters = new WeakMap<RouteContext, TokenPoster>()

/** @throws NotifyError 403 `not_authorized` when the token cannot post at all; OAuthError 401, 403 */
async function posterOfRequest(
  ctx: RouteContext,
  { namespace, oauth }: PostServices,
): Promise<TokenPoster> {
  const known = posters.get(ctx)
  if (known !== undefined) return known
  await oauth.authenticate(ctx)
  const { access } = ctx.state
  const poster = access && posterOf(access, namespace)
  if (poster === undefined) {
    const description = 'Not authorized to send notification'
    throw new NotifyError('not_authorized', { description })
  }
  if (!mayPost(poster, namespace)) throw insufficientScope()
  posters.set(ctx, poster)
  return poster
}
