import { hostOfClientId } from '../client-documents/identifier.ts'
import type { AssistantBefore, AssistantDuration, AssistantView, ConsentView } from '../ports.ts'
import type { Resource } from '../resources/resources.ts'
import { parseScope } from '../scopes/scope.ts'
import type { AssistantChoice } from './assistant-choice.ts'
import { assistantDuration, durationOfSpan } from './consent-durations.ts'
import type { LiveAccess } from './live-access.ts'

interface Known {
  readonly live: LiveAccess
  /** What the owner chose the last time. */
  readonly choice: AssistantChoice | undefined
  readonly checkedAt: number | undefined
  readonly maxDuration: AssistantDuration
}

/** What the page of an assistant shows beside what every consent does. */
export function assistantView(view: ConsentView, resource: Resource, known: Known): AssistantView {
  const { linkedApp: _, problem, duration, ...rest } = view
  const { document } = view.client
  const before = beforeOf(known)
  const chosen = problem === undefined ? lastDuration(known) : duration
  return {
    ...rest,
    resource,
    duration: assistantDuration(known.maxDuration, chosen),
    ...(problem === undefined ? {} : { problem }),
    ...(document === undefined ? {} : { host: hostOfClientId(document.url) }),
    ...(known.checkedAt === undefined ? {} : { checkedAt: known.checkedAt }),
    ...(before === undefined ? {} : { before }),
  }
}

function lastDuration({ live, choice }: Known): ConsentView['duration'] {
  if (choice !== undefined) return choice.duration
  const [last] = live.grants
  return last && durationOfSpan(last.endsAt && last.endsAt - last.createdAt)
}

function beforeOf({ live, choice }: Known): AssistantBefore | undefined {
  const [newest] = live.grants
  if (newest !== undefined) {
    const ends = live.grants.flatMap(({ endsAt }) => (endsAt === undefined ? [] : [endsAt]))
    return { permissions: live.permissions, at: newest.createdAt, endsAt: Math.max(...ends) }
  }
  return choice && { permissions: parseScope(choice.scope) ?? [], at: choice.at }
}
