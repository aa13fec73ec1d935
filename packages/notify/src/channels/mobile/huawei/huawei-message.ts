import { fitPayload, MAX_PAYLOAD_BYTES, wholeSeconds } from '../payload-size.ts'
import type { OutgoingPush } from '../push-gateway.ts'

const OURS: ReadonlySet<string> = new Set(['notId', 'title', 'body'])
/** Opens the app. */
const CLICK_ACTION = { type: 3 }

/** The body of a request as JSON, cut to what Push Kit takes; undefined when that cannot be done. @see notifications.md 16.6 */
export function toHuaweiBody(push: OutgoingPush): string | undefined {
  const measure = (candidate: OutgoingPush): number => Buffer.byteLength(toJson(candidate))
  const fitting = fitPayload(push, MAX_PAYLOAD_BYTES, measure)
  return fitting === undefined ? undefined : toJson(fitting)
}

function toJson(push: OutgoingPush): string {
  const { title, body, priority, ttlMs, token } = push
  return JSON.stringify({
    message: {
      android: {
        ...(priority !== undefined && { urgency: priority.toUpperCase() }),
        ...(ttlMs !== undefined && { ttl: `${wholeSeconds(ttlMs)}s` }),
        data: toData(push),
        notification: { title, body, click_action: CLICK_ACTION },
      },
      token: [token],
    },
  })
}

/** Values keep their own types. */
function toData({ notId, title, body, data }: OutgoingPush): string {
  const given = Object.entries(data).filter(([name]) => !OURS.has(name))
  return JSON.stringify(
    Object.fromEntries([['notId', notId], ['title', title], ['body', body], ...given]),
  )
}
