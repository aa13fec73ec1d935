import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { group, type Option, text } from '@svc/platform/options'
import type { FormPages } from './page-forms.ts'

/** Templates of the host in the place of ours: absolute paths by the name of the page. */
export interface OwnViews {
  /** The login page. @defaultValue ours */
  readonly login?: string
  /** The second step. @defaultValue ours */
  readonly passcode?: string
  /** Where a new owner chooses a passphrase. @defaultValue ours */
  readonly 'choose-passphrase'?: string
  /** Where an owner chooses a new passphrase. @defaultValue ours */
  readonly renew?: string
  /** Where an owner asks for a way back. @defaultValue ours */
  readonly reset?: string
  /** Where an owner confirms something for an app. @defaultValue ours */
  readonly confirm?: string
  /** Where a client asks for access. @defaultValue ours */
  readonly consent?: string
  /** Where an assistant does. @defaultValue ours */
  readonly assistant?: string
}

/**
 * The numbers of the models that templates are given. A template names its page and the number in its first line, such
 * as `{# consent 3 #}`; a model with another number is not what it was written for.
 * @example
 * const firstLine = `{# consent ${MODEL_NUMBERS.consent} #}`
 */
export const MODEL_NUMBERS: Readonly<Record<keyof FormPages, number>> = {
  login: 1,
  passcode: 1,
  'choose-passphrase': 1,
  renew: 1,
  reset: 1,
  confirm: 1,
  consent: 3,
  assistant: 1,
}

/** The option `views`. */
export function viewsOption(): Option<OwnViews, OwnViews, false> {
  const members = Object.keys(MODEL_NUMBERS).map((view) => {
    const path = text('an absolute path', isAbsolute)
    return [view, path.that((file) => headFault(view, file)).optional('ours')] as const
  })
  // The members are the pages.
  return group(Object.fromEntries(members)) as unknown as ReturnType<typeof viewsOption>
}

/** What is wrong with the first line of a template. */
function headFault(view: string, file: string): string | undefined {
  // Of the pages above.
  const number = MODEL_NUMBERS[view as keyof FormPages]
  const expected = `{# ${view} ${number} #}`
  try {
    const [first = ''] = readFileSync(file, 'utf8').split(/\r?\n/u, 1)
    return first.trim() === expected ? undefined : `has to begin with the line ${expected}`
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'it failed'}` // of the file system
  }
}
