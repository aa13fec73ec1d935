import type { BrowserClient, BrowserResponse } from '@svc/testkit'
import type { SystemMail } from '../../src/ports.ts'
import type { UiServer } from './ui-server.ts'

export const JSON_ONLY: Readonly<Record<string, string>> = { accept: 'application/json' }

type MailOf<Template extends SystemMail['template']> = Extract<SystemMail, { template: Template }>

/** Mails of one template, oldest first. */
export function mailsOf<Template extends SystemMail['template']>(
  server: Pick<UiServer, 'mails'>,
  template: Template,
): readonly MailOf<Template>[] {
  return server.mails.filter((mail): mail is MailOf<Template> => mail.template === template)
}

/** Posts the reset form with the token of a page, by default of the form's own. */
export async function requestReset(
  browser: BrowserClient,
  fields: Readonly<Record<string, string | undefined>> = {},
  headers: Readonly<Record<string, string>> = {},
  page = '/auth/passphrase_reset?from=settings',
  from?: string,
): Promise<BrowserResponse> {
  await browser.get(page)
  const csrf_token = browser.cookie('__Host-csrf')?.value
  return browser.post(
    '/auth/passphrase_reset',
    { csrf_token, ...fields },
    { headers, ...(from === undefined ? {} : { from }) },
  )
}

/** Asks for a link and answers it. */
export async function resetLink(server: UiServer, browser: BrowserClient): Promise<string> {
  await requestReset(browser)
  const url = mailsOf(server, 'passphrase_reset').at(-1)?.variables.url
  if (url === undefined) throw new Error('no link was mailed')
  return url
}
