import { MAIL_LOCALES } from '@svc/notify'
import { expect } from 'chai'
import { readFileSync } from 'node:fs'

/** Mails that tell the owner where to go in the settings, by the names that stand there. */
const MAILS = [
  'two_factor.notice.2',
  'two_factor_mail_confirmation.notice.2',
  'confirm_flagship.notice.2',
]
const PLACES = ['security.title', 'passphrase.change']

describe('words of mails', () => {
  for (const locale of MAIL_LOCALES) {
    it(`name places in the settings as the settings do, in ${locale}`, () => {
      const mails = textsOf('notify', locale)
      const settings = textsOf('auth-ui/settings-app', locale)
      for (const mail of MAILS) {
        for (const place of PLACES) expect(mails[mail], mail).to.include(settings[place])
      }
    })
  }
})

function textsOf(folder: string, locale: string): Record<string, string> {
  const file = new URL(`../../../../packages/${folder}/locales/${locale}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string> // Our own file.
}
