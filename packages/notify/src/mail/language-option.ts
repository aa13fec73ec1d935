import { messageFaults, type ParseMessage } from '@svc/platform'
import { flag, object, oneOf, type Option, record, text } from '@svc/platform/options'
import { icuMessage, type MailLanguage, readMailTexts } from './catalogue.ts'

const TAG = /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/u
const LONGEST = 4000
/** The English text beside a key in a file that `svc-locale` made. */
const REMARK = '//'

const parse: ParseMessage = (message, locale) =>
  // Parts of a parsed text that the checks read; the library's own type is a wider union.
  icuMessage(message, locale).getAst() as unknown as ReturnType<ParseMessage>

/** The option `locales`: languages by BCP 47 tag, each held against our English texts. */
export function mailLanguages(): Option<Readonly<Record<string, MailLanguage>>> {
  const messages = record(
    text(`a text of at most ${LONGEST} characters`, { maxLength: LONGEST }),
  ).as((given) =>
    Object.fromEntries(Object.entries(given).filter(([key]) => !key.startsWith(REMARK))),
  )
  const language = object({
    messages,
    dir: oneOf(['ltr', 'rtl']).optional('as its tag says'),
    partial: flag().optional('`false`'),
  })
  return record(language, (tag) => TAG.test(tag)).that((languages) => {
    const faults: Record<string, string> = {}
    for (const [locale, { messages: given, partial = false }] of Object.entries(languages)) {
      const ours = readMailTexts('en')
      const found = messageFaults({ locale, given, ours, partial, parse })
      for (const [path, problem] of Object.entries(found)) faults[locale + path] = problem
    }
    return faults
  })
}
