import { dateText, type Instance } from '@svc/platform'
import type { Catalogue } from './catalogue.ts'
import { toShownText } from './clean-text.ts'
import type { RequestFacts } from './system-mails.ts'

/** One line of what is known about a request. */
export interface Fact {
  readonly label: string
  readonly value: string
}

/** The facts, in the owner's language; only the time for an unproven address. */
export function listFacts(
  instance: Instance,
  { time, address, browser, os, place }: RequestFacts,
  catalogue: Catalogue,
  isTimeOnly: boolean,
): readonly Fact[] {
  const shown = (text = ''): string => toShownText(text)
  const [program, system] = [shown(browser), shown(os)]
  const rows: [string, string][] = [
    ['fact.time', formatTime(time, instance, catalogue.locale)],
    ['fact.place', shown(place)],
    [
      'fact.browser',
      program !== '' && system !== ''
        ? catalogue.text('fact.browser.on', { browser: program, system })
        : program + system,
    ],
    ['fact.address', toAddress(address)],
  ]
  return rows
    .filter(([key, value]) => value !== '' && (!isTimeOnly || key === 'fact.time'))
    .map(([key, value]) => ({ label: catalogue.text(key), value }))
}

/** An IP address stays copyable; anything else is a text from outside. */
function toAddress(address: string): string {
  return /^[\da-f:./]{2,49}$/i.test(address) ? address : toShownText(address)
}

/** `dateStyle` and `timeStyle` have no style with the zone but without seconds. */
const STYLES: Readonly<Record<'long' | 'short', Intl.DateTimeFormatOptions>> = {
  short: { dateStyle: 'long', timeStyle: 'short' },
  long: {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  },
}

/**
 * Region and clock are those of the owner, words those of the mail.
 * @param length - `long` names the time zone
 */
export function formatTime(
  time: number,
  { locale, timeZone }: Instance,
  mailLocale: string,
  length: 'long' | 'short' = 'long',
): string {
  const options = STYLES[length]
  const tag = locale.split('-', 1)[0]?.toLowerCase() === mailLocale ? locale : mailLocale
  try {
    return dateText(tag, { ...options, timeZone: timeZone ?? 'UTC' }, time)
  } catch {
    // A locale or zone this runtime does not know must not keep a security mail from going out.
    return dateText('en', { ...options, timeZone: 'UTC' }, time)
  }
}
