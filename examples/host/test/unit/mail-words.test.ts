import { MAIL_LOCALES } from '@svc/notify'
import { expect } from 'chai'
import { readFileSync } from 'node:fs'

/** Mails that tell the owner to choose something on a page, by the name it has there. */
const NAMED = [['passphrase_changed.notice.1', 'login.forgot']] as const

describe('words of mails', () => {
  for (const locale of MAIL_LOCALES) {
    it(`name what is on the pages as the pages do, in ${locale}`, () => {
      const mails = textsOf('notify', locale)
      const pages = textsOf('auth-ui', locale)
      for (const [mail, page] of NAMED) expect(mails[mail], mail).to.include(pages[page])
    })
  }
})

function textsOf(name: string, locale: string): Record<string, string> {
  const file = new URL(`../../../../packages/${name}/locales/${locale}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string> // Our own file.
}
