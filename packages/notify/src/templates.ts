import { fileURLToPath } from 'node:url'
import { type Instance, parseAppHost } from '@svc/oauth-core'
import nunjucks from 'nunjucks'
import { type Catalogue, createCatalogues } from './catalogue.ts'
import { toHeaderText } from './mail-address.ts'
import { type RequestFacts, SYSTEM_MAILS, type SystemMail } from './system-mails.ts'

/** The words of a mail, the same in both forms. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag of the language it is written in. */
  readonly locale: string
}

/** Writes system mails in the instance's language. */
export interface MailTemplates {
  /** @throws TypeError when the link of the mail is not one of the instance's own */
  render(instance: Instance, mail: SystemMail): RenderedMail
}

/** Loads the two views of the one layout; catalogues are read when a language is first needed. */
export function createTemplates(): MailTemplates {
  const views = fileURLToPath(new URL('../views', import.meta.url))
  const loader = new nunjucks.FileSystemLoader(views, { noCache: false, watch: false })
  const htmlViews = new nunjucks.Environment(loader, { autoescape: true, throwOnUndefined: true })
  const textViews = new nunjucks.Environment(loader, { autoescape: false, throwOnUndefined: true })
  const catalogueOf = createCatalogues()

  return {
    render(instance, mail) {
      const catalogue = catalogueOf(instance.locale)
      const model = buildModel(instance, mail, catalogue)
      return {
        subject: model.subject,
        text: textViews.render('mail.txt.njk', model),
        html: htmlViews.render('mail.html.njk', model),
        locale: catalogue.locale,
      }
    },
  }
}

function buildModel(instance: Instance, mail: SystemMail, catalogue: Catalogue) {
  const { template, variables } = mail
  const { paragraphs, notices } = SYSTEM_MAILS[template]
  const domain = toHeaderText(instance.domain)
  const name = toHeaderText(instance.publicName ?? '', 100)
  const text = (part: string): string => catalogue.text(`${template}.${part}`, { domain })
  const numbered = (part: string, count: number): string[] =>
    Array.from({ length: count }, (_, at) => text(`${part}.${at + 1}`))
  return {
    locale: catalogue.locale,
    dir: catalogue.dir,
    subject: text('subject'),
    preheader: text('preheader'),
    greeting:
      name === '' ? catalogue.text('greeting.anonymous') : catalogue.text('greeting', { name }),
    title: text('title'),
    paragraphs: numbered('body', paragraphs),
    facts: 'time' in variables ? listFacts(instance, variables, catalogue) : [],
    action: { label: text('action'), url: ownLink(instance, variables.url) },
    notices: numbered('notice', notices),
    fallback: catalogue.text('action.fallback'),
    footer: catalogue.text('footer.sender', { domain }),
  }
}

/** Links in mails start with the configured base of the instance or one of its apps (security.md 1, 99). */
function ownLink(instance: Instance, link: string): string {
  const url = URL.parse(link)
  const base = new URL(instance.origin)
  const app = url === null ? undefined : parseAppHost(url.host, instance.subdomains)
  const isOwn = url?.host === base.host || app?.domain === base.host
  if (url?.protocol !== base.protocol || !isOwn) {
    throw new TypeError('mail.variables.url is not a link of the instance')
  }
  return url.href
}

function listFacts(
  instance: Instance,
  { time, address, browser, os, place }: RequestFacts,
  catalogue: Catalogue,
): { label: string; value: string }[] {
  const program =
    browser !== undefined && os !== undefined
      ? catalogue.text('fact.browser.on', { browser, system: os })
      : (browser ?? os ?? '')
  const rows: [string, string][] = [
    ['fact.time', formatTime(time, instance)],
    ['fact.place', place ?? ''],
    ['fact.browser', program],
    ['fact.address', address],
  ]
  return rows
    .filter(([, value]) => value !== '')
    .map(([key, value]) => ({ label: catalogue.text(key), value: toHeaderText(value) }))
}

function formatTime(time: number, { locale, timeZone }: Instance): string {
  const options = { dateStyle: 'long', timeStyle: 'long' } as const
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: timeZone ?? 'UTC' }).format(time)
  } catch {
    // A locale or zone this runtime does not know must not keep a security mail from going out.
    return new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' }).format(time)
  }
}
