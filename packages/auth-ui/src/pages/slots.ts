import type { Client } from '@svc/oauth-core'
import { type Instance, readParagraphs, type ShownPart, type SlotParagraph } from '@svc/platform'
import type { AuthUiLog } from '../log/log-events.ts'
import type { ViewName } from '../views.ts'

/** What the host is told about the page that it may say something on. */
export interface SlotContext {
  readonly instance: Instance
  /** BCP 47 tag of the language that the page is in. */
  readonly locale: string
  /** Whom the page is about; absent on pages about nobody else. */
  readonly client?: Client
}

/**
 * Paragraphs of the host on a page, or none. Never markup: what it answers is shown as text. At most 600 characters and
 * 10 paragraphs. It answers at once; one that throws, or answers something else, is left out, and `slot.failed` is
 * logged.
 */
export type Slot = (context: SlotContext) => readonly SlotParagraph[]

/** Places on pages. */
export interface Slots {
  /** On every page, above the card. */
  readonly 'page.top'?: Slot
  /** On every page, below the card. */
  readonly 'page.footer'?: Slot
  /** On the login page, above the form. */
  readonly 'login.before'?: Slot
  /** On the login page, below all ways in. */
  readonly 'login.after'?: Slot
  /** Where a client or an assistant asks for access, above what it asks for. */
  readonly 'consent.before'?: Slot
  /** The same, below the buttons. */
  readonly 'consent.after'?: Slot
  /** On pages about something that went wrong, below the way on. */
  readonly 'error.after'?: Slot
}

/** Names of the slots. */
export const SLOT_NAMES: readonly (keyof Slots)[] = [
  'page.top',
  'page.footer',
  'login.before',
  'login.after',
  'consent.before',
  'consent.after',
  'error.after',
]

/** What a page shows in its slots: paragraphs of parts, by name. */
export type FilledSlots = Readonly<Partial<Record<keyof Slots, readonly (readonly ShownPart[])[]>>>

const EVERYWHERE = ['page.top', 'page.footer'] as const
const OF_VIEW: Partial<Readonly<Record<ViewName, readonly (keyof Slots)[]>>> = {
  login: ['login.before', 'login.after'],
  consent: ['consent.before', 'consent.after'],
  assistant: ['consent.before', 'consent.after'],
  error: ['error.after'],
  blocked: ['error.after'],
  'cookies-blocked': ['error.after'],
}

/** What {@link fillSlots} needs. */
export interface SlotOptions {
  readonly slots: Slots
  readonly log: Pick<AuthUiLog, 'error'>
  /** In front of paths: where the page is not on the instance's own host. @defaultValue nothing */
  readonly origin?: string
}

/** Asks the host for what stands in the slots of a view. */
export function fillSlots(
  { slots, log, origin = '' }: SlotOptions,
  view: ViewName,
  context: SlotContext,
): FilledSlots {
  const filled: Partial<Record<keyof Slots, readonly (readonly ShownPart[])[]>> = {}
  for (const name of [...EVERYWHERE, ...(OF_VIEW[view] ?? [])]) {
    const slot = slots[name]
    if (slot === undefined) continue
    try {
      const paragraphs = readParagraphs(slot(context), origin)
      if (paragraphs.length > 0) filled[name] = paragraphs
    } catch (cause) {
      const { domain } = context.instance
      log.error('slot.failed', { domain, slot: name, cause: String(cause) })
    }
  }
  return filled
}
