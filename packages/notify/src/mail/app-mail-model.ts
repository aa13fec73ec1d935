import type { Instance } from '@svc/platform'
import {
  type AppMail,
  type DigestItem,
  type DigestWords,
  MAX_DIGEST_ITEMS,
  type NotificationWords,
} from './app-mails.ts'
import type { Catalogue } from './catalogue.ts'
import { toHeaderText } from './mail-address.ts'
import {
  closingOf,
  headOf,
  listLinks,
  type MailItem,
  type MailModel,
  ownLink,
  type Writing,
} from './mail-model.ts'
import { toBody, toShownText, toTitle } from './clean-text.ts'
import { formatTime } from './request-facts.ts'

const PREHEADER_LENGTH = 120
/** A digest of many keeps short, so that it lists most of them. */
const DIGEST_TITLE_LENGTH = 120
const DIGEST_MESSAGE_LENGTH = 280
const SHORT_MESSAGE_LENGTH = 100
const MANY_ITEMS = 20

/**
 * @param mostItems - how many items a digest lists
 * @throws TypeError when a link is not one of the instance's own, or a text is missing
 */
export function buildAppModel(
  instance: Instance,
  { template, variables }: AppMail,
  writing: Writing,
  mostItems: number = MAX_DIGEST_ITEMS,
): MailModel {
  const { catalogue } = writing
  const domain = toHeaderText(instance.domain)
  const shared = {
    locale: catalogue.locale,
    dir: catalogue.dir,
    isForeign: true,
    head: headOf(instance),
    greeting: undefined,
    warning: undefined,
    quote: [],
    code: undefined,
    facts: [],
    factsPlace: 'above' as const,
    factsTitle: '',
    fallback: catalogue.text('action.fallback'),
    notices: [],
    links: listLinks(instance, variables.links ?? {}, catalogue),
    footer: closingOf(catalogue.text('footer.sender', { domain }), writing),
  }
  return template === 'notification'
    ? { ...shared, ...notificationParts(instance, variables, catalogue) }
    : { ...shared, ...digestParts(instance, variables, catalogue, mostItems) }
}

type OwnParts = Pick<
  MailModel,
  | 'from'
  | 'subject'
  | 'preheader'
  | 'title'
  | 'paragraphs'
  | 'markup'
  | 'groups'
  | 'more'
  | 'action'
>

function notificationParts(
  instance: Instance,
  { sender, title, message = '', markup, action }: NotificationWords,
  catalogue: Catalogue,
): OwnParts {
  const heading = toTitle(title)
  return {
    // SPEC: D98 - above all that the app wrote, its title too.
    from:
      sender === undefined
        ? undefined
        : catalogue.text('frame.app', {
            name: toAppName(sender, 100),
            domain: toHeaderText(instance.domain),
          }),
    subject: heading,
    preheader: toLine(markup?.text ?? message, PREHEADER_LENGTH),
    title: markup?.isWhole === true ? undefined : heading,
    paragraphs: markup === undefined ? toParagraphs(message) : [],
    markup: markup && { ...markup, text: toParagraphs(markup.text).join('\n\n') },
    groups: [],
    more: undefined,
    action: action && {
      label: catalogue.text('notification.action', { name: toShownText(action.name, 60) }),
      url: ownLink(instance, action.url),
    },
  }
}

function digestParts(
  instance: Instance,
  { items }: DigestWords,
  catalogue: Catalogue,
  mostItems: number,
): OwnParts {
  const domain = toHeaderText(instance.domain)
  const newestFirst = [...items].sort((one, other) => other.time - one.time)
  const rest = Math.max(0, items.length - mostItems)
  const length = items.length > MANY_ITEMS ? SHORT_MESSAGE_LENGTH : DIGEST_MESSAGE_LENGTH
  return {
    from: undefined,
    subject: catalogue.text('digest.subject', { domain }),
    preheader: catalogue.text('digest.preheader'),
    title: catalogue.text('digest.title', { count: items.length }),
    paragraphs: [],
    markup: undefined,
    groups: [...Map.groupBy(newestFirst.slice(0, mostItems), ({ sender }) => sender)].map(
      ([sender, told]) => ({
        sender: sender === undefined ? domain : namedApp(sender, catalogue),
        items: told.map((item) => itemOf(instance, item, catalogue, length)),
      }),
    ),
    more: rest === 0 ? undefined : catalogue.text('digest.more', { count: rest }),
    // The front door leads to where the inbox is, after a login if need be.
    action: {
      label: catalogue.text('digest.action'),
      url: ownLink(instance, `${instance.origin}/`),
    },
  }
}

function itemOf(
  instance: Instance,
  item: DigestItem,
  catalogue: Catalogue,
  messageLength: number,
): MailItem {
  return {
    url: item.url === undefined ? undefined : ownLink(instance, item.url),
    time: formatTime(item.time, instance, catalogue.locale, 'short'),
    title: toLine(item.title, DIGEST_TITLE_LENGTH),
    message: toLine(item.message ?? '', messageLength),
  }
}

/** An app chooses its own name, which must not pass for the space itself. */
export function namedApp(name: string, catalogue: Catalogue): string {
  return catalogue.text('app.named', { name: toAppName(name, 60) })
}

/** Cannot close the quotation around it. */
function toAppName(name: string, maxLength: number): string {
  return toShownText(name.replaceAll(/["“”„«»]/g, ''), maxLength)
}

/** Blank lines part paragraphs. No line ends with a blank: `-- ` would begin a signature. */
function toParagraphs(message: string): readonly string[] {
  const paragraphs: string[][] = [[]]
  for (const line of toBody(message).split('\n')) {
    if (line.trim() === '') paragraphs.push([])
    else paragraphs.at(-1)?.push(line.trimEnd())
  }
  return paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'))
}

/** On one line, an ellipsis for what is cut off; nothing is cut in the middle of a character. */
function toLine(text: string, maxLength: number): string {
  const line = toHeaderText(toBody(text).replaceAll(/\s+/g, ' '), Number.POSITIVE_INFINITY)
  if (line.length <= maxLength) return line
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let kept = ''
  for (const { segment } of segments.segment(line.slice(0, maxLength))) {
    if (kept.length + segment.length >= maxLength) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}
