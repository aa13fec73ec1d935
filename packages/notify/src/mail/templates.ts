import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Instance } from '@svc/platform'
import type * as library from 'nunjucks'
import { buildAppModel } from './app-mail-model.ts'
import { type AppMail, MAX_DIGEST_BYTES, MAX_DIGEST_ITEMS, type MailLinks } from './app-mails.ts'
import { type CatalogueOf, catalogueOf as ours } from './catalogue.ts'
import { type FooterOf, inWords, type MailFooter } from './mail-footer.ts'
import { buildModel, type MailModel } from './mail-model.ts'
import type { SystemMail } from './system-mails.ts'

const load = createRequire(import.meta.url)

/** The words of a mail, the same in both forms. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag of the language it is written in. */
  readonly locale: string
}

/** Writes the mails of this server in the instance's language. */
export interface MailTemplates {
  /**
   * @param links - links in the footer of a system mail that is sent as a notification; {@link AppMail} has its own
   * @throws TypeError when a link of the mail is not one of the instance's own
   */
  render(instance: Instance, mail: SystemMail | AppMail, links?: MailLinks): RenderedMail
}

export interface TemplatesOptions {
  /** Whether replies to mails of the instance are read. @defaultValue they are not */
  readonly takesReplies?: (instance: Instance) => boolean
  /** The languages that there are. @defaultValue those of the package */
  readonly catalogueOf?: CatalogueOf
  /** The host's footer of mails. @defaultValue nothing */
  readonly footerOf?: FooterOf
}

/** The two views of the one layout are loaded with the first mail; catalogues when a language is first needed. */
export function createTemplates(options: TemplatesOptions = {}): MailTemplates {
  const { catalogueOf = ours } = options
  let views: Views | undefined
  return {
    render(instance, mail, links) {
      const catalogue = catalogueOf(instance.locale)
      const writing = { catalogue, takesReplies: options.takesReplies?.(instance) === true }
      const { template } = mail
      const own = options.footerOf?.({ instance, locale: catalogue.locale, template }) ?? []
      const write = (model: MailModel): RenderedMail =>
        writeMail((views ??= createViews()), model, own)
      if (!isAppMail(mail)) return write(buildModel(instance, mail, writing, links))
      const written = write(buildAppModel(instance, mail, writing))
      if (mail.template !== 'digest') return written
      const { items } = mail.variables
      return shorten(written, Math.min(items.length, MAX_DIGEST_ITEMS), (most) =>
        write(buildAppModel(instance, mail, writing, most)),
      )
    },
  }
}

/** Writes a digest again with fewer items until its HTML is short enough. */
function shorten(
  digest: RenderedMail,
  items: number,
  write: (items: number) => RenderedMail,
): RenderedMail {
  const size = Buffer.byteLength(digest.html)
  if (size < MAX_DIGEST_BYTES || items <= 1) return digest
  const fewer = Math.min(items - 1, Math.floor((items * MAX_DIGEST_BYTES) / size))
  return shorten(write(fewer), fewer, write)
}

function writeMail(views: Views, model: MailModel, own: MailFooter): RenderedMail {
  const { head, locale, markup, subject } = model
  return {
    subject,
    text: views.text.render('mail.txt.njk', {
      ...model,
      markup: markup?.text,
      own: own.map(inWords),
    }),
    html: views.html.render('mail.html.njk', {
      ...model,
      own,
      hosts: (text: string) => withUnbrokenHost(text, head.domain),
      // The one thing that is mark-up already: what an app's template wrote, with its data escaped.
      markup: markup && safe(markup.html),
    }),
    locale,
  }
}

interface Views {
  readonly html: library.Environment
  readonly text: library.Environment
}

/** The library, loaded with the first mail. @see docs/decisions/0721 */
function nunjucks(): typeof library {
  return load('nunjucks') as typeof library
}

function createViews(): Views {
  const { Environment, FileSystemLoader } = nunjucks()
  const folder = fileURLToPath(new URL('../../views', import.meta.url))
  const loader = new FileSystemLoader(folder, { noCache: false, watch: false })
  return {
    html: new Environment(loader, { autoescape: true, throwOnUndefined: true }),
    text: new Environment(loader, { autoescape: false, throwOnUndefined: true }),
  }
}

function safe(html: string): library.runtime.SafeString {
  return new (nunjucks().runtime.SafeString)(html)
}

/** Up to this many characters a host name stays on one line. */
const MAX_UNBROKEN = 40

/** A text as mark-up in which the instance's own name does not break, or at its dots when it is long. */
function withUnbrokenHost(text: string, domain: string): library.runtime.SafeString {
  const parts = domain.length > MAX_UNBROKEN ? domain.split(/(?<=\.)/) : [domain]
  const shown = parts
    .map((part) => `<span style="white-space:nowrap;">${escape(part)}</span>`)
    .join('<wbr>')
  const html = escape(text).split(escape(domain)).join(shown)
  return safe(html.replaceAll(/\r?\n/g, '<br />\n'))
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

function isAppMail(mail: SystemMail | AppMail): mail is AppMail {
  return mail.template === 'notification' || mail.template === 'digest'
}
