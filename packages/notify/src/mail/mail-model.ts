import { type Instance, parseAppHost } from '@svc/platform'
import type { AppMarkup, MailLinks } from './app-mails.ts'
import type { Catalogue } from './catalogue.ts'
import { toHeaderText } from './mail-address.ts'
import { type Fact, formatTime, listFacts } from './request-facts.ts'
import { toQuote, toShownText } from './clean-text.ts'
import { assistantValues } from './assistant-values.ts'
import { SYSTEM_MAILS, type SystemMail } from './system-mails.ts'

/** Model of the two views of a mail, in their order. Texts are final, not escaped. */
export interface MailModel {
  readonly locale: string
  readonly dir: 'ltr' | 'rtl'
  readonly subject: string
  /** What mail programs show beside the subject. Never holds a code. */
  readonly preheader: string
  /** Whether title and paragraphs are an app's: in any language and direction. */
  readonly isForeign: boolean
  /** Whose space it is, above everything else, as on the pages. */
  readonly head: MailHead
  /** Which app it is from, above all that the app wrote. */
  readonly from: string | undefined
  readonly greeting: string | undefined
  /** Absent: what an app wrote has its own. */
  readonly title: string | undefined
  /** Line feeds are kept. */
  readonly paragraphs: readonly string[]
  /** An app's own mark-up, and the same in words. */
  readonly markup: AppMarkup | undefined
  /** By app. */
  readonly groups: readonly MailGroup[]
  readonly more: string | undefined
  /** Absent: `undefined`, for views that refuse what does not exist. */
  readonly warning: string | undefined
  readonly quote: readonly string[]
  readonly code: string | undefined
  readonly facts: readonly Fact[]
  readonly factsPlace: 'above' | 'below'
  readonly factsTitle: string
  readonly action: MailLink | undefined
  readonly fallback: string
  readonly notices: readonly string[]
  readonly footer: string
  /** Below the footer: the settings and the unsubscribe link, nothing to act on. */
  readonly links: readonly FooterLink[]
}

export interface MailLink {
  readonly label: string
  readonly url: string
}

export interface FooterLink extends MailLink {
  /** Both on one line, for text. */
  readonly line: string
}

/** The tile, the name and the domain. */
export interface MailHead {
  /** One letter. */
  readonly initial: string
  /** Absent: it has none, or the reader is not to know it. */
  readonly name: string | undefined
  readonly domain: string
  /** All of it on one line, for text. */
  readonly line: string
}

/** Notifications of one app in a digest. */
export interface MailGroup {
  readonly sender: string
  readonly items: readonly MailItem[]
}

/** One notification of a digest. */
export interface MailItem {
  readonly time: string
  readonly title: string
  /** Where its title leads. */
  readonly url: string | undefined
  /** Perhaps empty. */
  readonly message: string
}

/** What every mail is written with. */
export interface Writing {
  readonly catalogue: Catalogue
  /** Whether replies are read. */
  readonly takesReplies: boolean
}

/** @throws TypeError when the link of the mail is not one of the instance's own, or a text is missing */
export function buildModel(
  instance: Instance,
  mail: SystemMail,
  writing: Writing,
  links: MailLinks = {},
): MailModel {
  const { catalogue } = writing
  const { template, variables } = mail
  const layout = SYSTEM_MAILS[template]
  const isUnproven = layout.isForUnprovenAddress === true
  const domain = toHeaderText(instance.domain)
  const values = { domain, ...valuesOf(mail, instance, catalogue) }
  const name = isUnproven ? '' : toShownText(instance.publicName ?? '', 100)
  const prefixes = [`${template}.${variantOf(mail)}`, template]
  const text = (part: string): string => {
    const key = prefixes.map((prefix) => `${prefix}.${part}`).find((known) => catalogue.has(known))
    return catalogue.text(key ?? `${template}.${part}`, values)
  }
  const numbered = (part: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => text(`${part}.${at + 1}`))
  const remark = remarkOf(mail, text)
  return {
    locale: catalogue.locale,
    dir: catalogue.dir,
    subject: text('subject'),
    preheader: text('preheader'),
    isForeign: false,
    head: headOf(instance, isUnproven),
    from: undefined,
    greeting:
      name === '' ? catalogue.text('greeting.anonymous') : catalogue.text('greeting', { name }),
    title: text('title'),
    paragraphs: [
      ...numbered('body', layout.paragraphs),
      ...(remark !== undefined && !remark.isWarning ? [remark.words] : []),
    ],
    markup: undefined,
    groups: [],
    more: undefined,
    warning: remark?.isWarning === true ? remark.words : undefined,
    quote: quoteOf(mail),
    code: codeOf(mail),
    facts: 'time' in variables ? listFacts(instance, variables, catalogue, isUnproven) : [],
    // A warning takes room: what to act on stays in the first screenful.
    factsPlace: remark?.isWarning === true ? 'below' : (layout.facts ?? 'above'),
    factsTitle: catalogue.text('facts.request'),
    action:
      'url' in variables && variables.url !== undefined
        ? { label: text('action'), url: ownLink(instance, variables.url) }
        : undefined,
    fallback: catalogue.text('action.fallback'),
    notices: isCopy(mail)
      ? [catalogue.text('copy.notice', { domain })]
      : numbered('notice', layout.notices),
    footer: closingOf(catalogue.text('footer.sender', { domain }), writing),
    links: listLinks(instance, links, catalogue),
  }
}

/** @param isUnproven - whether the recipient may not be the owner: no name then */
export function headOf({ domain, publicName = '' }: Instance, isUnproven = false): MailHead {
  const host = toHeaderText(domain)
  const name = isUnproven ? '' : toShownText(publicName, 100)
  const shown = name === '' || name === host ? undefined : name
  const [initial = '·'] = (shown ?? host).match(/[\p{L}\p{N}]\p{M}*/u) ?? []
  return {
    initial: initial.toLocaleUpperCase(),
    name: shown,
    domain: host,
    line: shown === undefined ? host : `${shown} · ${host}`,
  }
}

/** Arguments of the texts; those from outside are made harmless here. */
function valuesOf(
  { template, variables }: SystemMail,
  instance: Instance,
  catalogue: Catalogue,
): Record<string, string | number> {
  return {
    ...('minutes' in variables && { minutes: variables.minutes }),
    ...('hours' in variables && { hours: variables.hours }),
    ...('newAddress' in variables && {
      // In one piece, also at the end of a line.
      newAddress: toShownText(variables.newAddress, 254).replace('…', '…\u2060'),
    }),
    ...(template === 'auth_mode_changed' && {
      factor: variables.factor,
      ...(variables.left !== undefined && { left: variables.left }),
    }),
    ...(template === 'passkey_suspended' && { label: toShownText(variables.label, 100) }),
    ...(template === 'passphrase_changed' &&
      variables.passkeys !== undefined && {
        passkeys: new Intl.ListFormat(catalogue.locale).format(
          variables.passkeys.map((label) => toShownText(label, 100)),
        ),
      }),
    ...(template === 'space_restored' && {
      date: formatTime(variables.backupAt, instance, catalogue.locale),
    }),
    ...(template === 'access_ending' && {
      name: toShownText(variables.clientName, 100),
      date: formatTime(variables.endsAt, instance, catalogue.locale, 'short'),
    }),
    ...assistantValues({ template, variables } as SystemMail, instance, catalogue.locale),
    ...(template === 'oauth_clients_limit' && {
      name: toShownText(variables.clientName, 100),
      limit: variables.limit,
    }),
  }
}

function variantOf({ template, variables }: SystemMail): string {
  if (template === 'two_factor') return variables.purpose
  if (template === 'auth_mode_changed') return variables.change
  if (template === 'assistant_connected') return variables.news
  if (template === 'assistant_ended') return variables.reason
  if (template === 'disk_quota' && variables.isFull === true) return 'full'
  if (template === 'email_changed' && variables.url === undefined) return 'final'
  if (template === 'email_undone' && variables.url === undefined) return 'gone'
  return 'any'
}

/** Whether it is a copy to the previous address, without a link. */
function isCopy({ variables }: SystemMail): boolean {
  return 'isCopy' in variables && variables.isCopy === true
}

/** Optional paragraph or warning. */
function remarkOf(
  { template, variables }: SystemMail,
  text: (part: string) => string,
): { readonly words: string; readonly isWarning: boolean } | undefined {
  if (template === 'passphrase_reset' && variables.losesVault) {
    return { words: text('warning'), isWarning: true }
  }
  if (template === 'passphrase_changed' && variables.passkeys !== undefined) {
    return { words: text('passkeys'), isWarning: false }
  }
  if (template === 'auth_mode_changed' && variables.left !== undefined) {
    return { words: text('left'), isWarning: variables.left === 0 }
  }
  return undefined
}

/** Lines of the quoted box. */
function quoteOf({ template, variables }: SystemMail): readonly string[] {
  if (template === 'passphrase_hint') return toQuote(variables.hint)
  return template === 'assistant_connected' ? toQuote(variables.rights.join('\n')) : []
}

function codeOf({ template, variables }: SystemMail): string | undefined {
  if (template === 'two_factor') return toCode(variables.passcode)
  if (template === 'two_factor_mail_confirmation' || template === 'confirm_flagship') {
    return toCode(variables.code)
  }
  return undefined
}

/** Codes are letters and digits; other characters must not reach the line that gets copied. */
function toCode(text: string): string {
  return text.replaceAll(/[^\dA-Za-z-]/g, '').slice(0, 32)
}

/** The links in the footer of a mail. @throws TypeError when one is not a link of the instance */
export function listLinks(
  instance: Instance,
  { settings, unsubscribe }: MailLinks,
  catalogue: Catalogue,
): readonly FooterLink[] {
  const rows: [string, string | undefined][] = [
    ['footer.settings', settings],
    ['footer.unsubscribe', unsubscribe],
  ]
  return rows.flatMap(([key, link]) => {
    if (link === undefined) return []
    const [label, url] = [catalogue.text(key), ownLink(instance, link)]
    return [{ label, url, line: catalogue.text('link.line', { label, url }) }]
  })
}

/** Who sent it, and where replies go. */
export function closingOf(sender: string, { catalogue, takesReplies }: Writing): string {
  return `${sender} ${catalogue.text(takesReplies ? 'footer.replies' : 'footer.unread')}`
}

/** @throws TypeError */
export function ownLink(instance: Instance, link: string): string {
  const own = toOwnLink(instance, link)
  if (own === undefined) throw new TypeError('mail.variables.url is not a link of the instance')
  return own
}

/** The link when it leads to the instance or one of its apps: mails have no others (security.md 1, 99). */
export function toOwnLink(instance: Instance, link: string): string | undefined {
  const url = URL.parse(link)
  const base = new URL(instance.origin)
  const app = url === null ? undefined : parseAppHost(url.host, instance.subdomains)
  const isOwn = url?.host === base.host || app?.domain === base.host
  return url?.protocol === base.protocol && isOwn ? url.href : undefined
}
