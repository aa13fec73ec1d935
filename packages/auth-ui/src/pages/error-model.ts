import type { HttpError } from '@svc/platform'
import type { Messages } from '../messages.ts'
import type { ErrorPageModel } from './page-models.ts'
import type { ViewName } from '../views.ts'

/** What the templates of the error pages are given; texts are keys of the catalogue. */
export interface ErrorModel {
  readonly view: ViewName
  /** What is wrong with which page, in a few words. */
  readonly heading: string
  readonly lead: string
  /** The exact words of the rule that was broken, when the catalogue has no better ones. */
  readonly detail?: string
  readonly reference?: string
  readonly next: { readonly href: string; readonly label: string }
}

const VIEW_OF: ReadonlyMap<string, ViewName> = new Map<string, ViewName>([
  ['blocked', 'blocked'],
  ['cookies_blocked', 'cookies-blocked'],
])

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
  const lead = messages.has(code) ? code : `error.status.${status}.lead`
  const exact = description === undefined ? undefined : exactWords(error, description, messages)
  const detail = exact ?? (messages.has(code) ? undefined : description)
  return {
    view: VIEW_OF.get(error.code) ?? 'error',
    heading: messages.has(title) ? title : `error.status.${status}.title`,
    lead,
    ...(detail === undefined ? {} : { detail }),
    ...(requestId === undefined || MEANT.has(error.code) ? {} : { reference: requestId }),
    next: {
      href: `${origin}${next?.href ?? '/'}`,
      label: `page.${next?.label ?? (error.code === 'cookies_blocked' ? 'retry' : 'home')}`,
    },
  }
}

/** What the catalogue says instead of an error's own text. */
function exactWords(
  { words }: Pick<HttpError, 'words'>,
  description: string,
  messages: Messages,
): string | undefined {
  const text = `error.text.${words?.key ?? slugOf(description)}`
  return messages.has(text) ? messages.text(text, words?.values) : undefined
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
