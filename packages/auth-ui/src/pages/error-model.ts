import type { HttpError } from '@svc/platform'
import { type Isolated, leftToRight, type Messages } from '../messages.ts'
import type { ErrorPageModel } from './page-models.ts'
import type { ViewName } from '../views.ts'

/** What the templates of the error pages are given; texts are keys of the catalogue. */
export interface ErrorModel {
  readonly view: ViewName
  /** What is wrong with which page, in a few words. */
  readonly heading: string
  readonly lead: string
  /** What the owner may know beside it, in words of the catalogue. */
  readonly detail?: string
  /** The exact words of the rule that was broken, for whoever wrote the app: folded away. */
  readonly technical?: string
  readonly reference?: Isolated
  readonly next: {
    readonly href: string
    readonly label: string
    readonly values?: Readonly<Record<string, Isolated>>
  }
}

const VIEW_OF: ReadonlyMap<string, ViewName> = new Map<string, ViewName>([
  ['blocked', 'blocked'],
  ['cookies_blocked', 'cookies-blocked'],
])

/**
 * Faults of a request that an app made: something is missing in it, or wrong, or it does without what keeps it safe, or
 * the app is not registered, or not any more.
 */
const APP_FAULTS = ['error.missing', 'error.faulty', 'error.unsafe', 'error.unknown'] as const

/** Nothing is broken that anybody could look up. */
const MEANT: ReadonlySet<string> = new Set(['instance_frozen', 'instance_moving'])

/**
 * Words for an error: those of its code, of its text, or of its status. Never its detail.
 *
 * @param origin of the instance when the page stands on another host, else empty
 */
export function errorModel(model: ErrorPageModel, messages: Messages, origin: string): ErrorModel {
  const { error, requestId, next } = model
  const status = titledStatus(error.status, messages)
  const code = `error.code.${error.code}`
  const title = `error.title.${error.code}`
  // The heading of a 404 says it all; the exact words of other errors help whoever wrote the link.
  const isShown = error.expose && error.status !== 404 && error.description !== error.code
  const description = isShown ? error.description : undefined
  return {
    view: VIEW_OF.get(error.code) ?? 'error',
    heading: messages.has(title) ? title : `error.status.${status}.title`,
    ...wordsOf(description, {
      messages,
      lead: messages.has(code) ? code : `error.status.${status}.lead`,
      isKnown: messages.has(code),
      words: error.words,
    }),
    ...(requestId === undefined || MEANT.has(error.code)
      ? {}
      : { reference: leftToRight(requestId) }),
    next:
      next?.label === 'client'
        ? { href: next.href, label: 'page.client', values: { host: leftToRight(next.host) } }
        : {
            href: `${origin}${next?.href ?? '/'}`,
            label: `page.${next?.label ?? (error.code === 'cookies_blocked' ? 'retry' : 'home')}`,
          },
  }
}

/** The words below the heading: requests that an app got wrong share few leads, and their rule is a technical detail. */
function wordsOf(
  description: string | undefined,
  given: {
    readonly messages: Messages
    readonly lead: string
    readonly isKnown: boolean
    /** What the error says of its own words. */
    readonly words: HttpError['words']
  },
): Pick<ErrorModel, 'lead' | 'detail' | 'technical'> & Partial<Pick<ErrorModel, 'heading'>> {
  const { messages, lead, isKnown, words } = given
  if (description === undefined) return { lead }
  const slug = words?.key ?? slugOf(description)
  for (const fault of APP_FAULTS) {
    const key = `${fault}.${slug}`
    if (!messages.has(key)) continue
    const heading = `${fault}.title`
    const technical = messages.text(key, words?.values)
    return { ...(messages.has(heading) ? { heading } : {}), lead: `${fault}.lead`, technical }
  }
  const text = `error.text.${slug}`
  if (messages.has(text)) return { lead, detail: messages.text(text, words?.values) }
  return isKnown ? { lead } : { lead, technical: description }
}

/** The status itself, or the nearest one there are words for. */
function titledStatus(status: number, messages: Messages): number {
  if (messages.has(`error.status.${status}.title`)) return status
  return status >= 500 ? 500 : 400
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '')
}
