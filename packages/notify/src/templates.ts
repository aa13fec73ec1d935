import { fileURLToPath } from 'node:url'
import type { Instance } from '@svc/oauth-core'
import nunjucks from 'nunjucks'
import { createCatalogues } from './catalogue.ts'
import { buildModel } from './mail-model.ts'
import type { SystemMail } from './system-mails.ts'

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
