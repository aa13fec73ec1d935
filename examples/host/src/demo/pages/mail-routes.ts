import { OAuthError } from '@svc/oauth-core'
import { defineRoute, prefersJson, type Route, type RouteContext } from '@svc/platform'
import { DEV_PAGE, type DevPageServices } from './dev-pages.ts'
import { escape, sendMail, sendPage } from './dev-page.ts'
import type { DevMailbox, KeptMail } from '../../notifications/development.ts'

const LINK = /https?:\/\/[^\s<>"]+/g

/** What the pages of the development mailbox stand on. */
export interface MailPageServices extends DevPageServices {
  readonly mailbox: DevMailbox
}

/** The development mailbox: mails of an instance that no server takes. They hold links that open the instance. */
export const mailRoutes: readonly Route<MailPageServices>[] = [
  defineRoute({
    ...DEV_PAGE,
    path: '/dev/mails',
    handler: listMails,
    summary:
      'Lists the last mails, newest first; a program that asks for JSON gets their texts. Development only, from this machine only.',
  }),
  defineRoute({
    ...DEV_PAGE,
    path: '/dev/mails/:id',
    handler: showMail,
    summary: 'One mail: its text, and a link to its HTML form.',
  }),
  defineRoute({
    ...DEV_PAGE,
    path: '/dev/mails/:id/html',
    handler: showMailHtml,
    summary: 'The HTML form of a mail.',
  }),
]

async function listMails(ctx: RouteContext, { mailbox }: MailPageServices): Promise<void> {
  const mails = await mailbox.list(ctx.state.instance)
  if (prefersJson(ctx)) return sendList(ctx, mails)
  const list = mails.length === 0 ? '<p>No mail yet.</p>' : listOf(mails)
  sendPage(ctx, 'Mails', `${list}\n<p><a href="/dev/mails/preview">All kinds of mails</a></p>`)
}

/** A mailbox for programs that test the server: newest first, with `date` in ISO 8601. */
function sendList(ctx: RouteContext, mails: readonly KeptMail[]): void {
  const list = mails.map(({ id, keptAt, mail: { to, subject, text, html } }) => ({
    id,
    date: new Date(keptAt).toISOString(),
    to: to.address,
    subject,
    text,
    html,
  }))
  ctx.status = 200
  ctx.type = 'application/json; charset=utf-8'
  ctx.set('Cache-Control', 'no-store')
  ctx.body = JSON.stringify(list)
}

async function showMail(ctx: RouteContext, { mailbox }: MailPageServices): Promise<void> {
  const { id, mail } = await find(ctx, mailbox)
  sendPage(
    ctx,
    mail.subject,
    `<p>From ${escape(mail.from.address)} to ${escape(mail.to.address)}, ${escape(mail.locale)}</p>
<pre>${linked(mail.text)}</pre>
<p><a href="/dev/mails/${id}/html">As HTML</a> · <a href="/dev/mails">All mails</a></p>`,
  )
}

async function showMailHtml(ctx: RouteContext, { mailbox }: MailPageServices): Promise<void> {
  const { mail } = await find(ctx, mailbox)
  sendMail(ctx, mail.html)
}

async function find(ctx: RouteContext, mailbox: DevMailbox): Promise<KeptMail> {
  const kept = await mailbox.get(ctx.state.instance, String(ctx.params['id']))
  if (kept === undefined) throw new OAuthError('not_found')
  return kept
}

function listOf(mails: readonly KeptMail[]): string {
  const items = mails.map(({ id, keptAt, mail }) => {
    const time = new Date(keptAt).toISOString()
    return `<li><a href="/dev/mails/${id}">${escape(mail.subject)}</a><br><time datetime="${time}">${time}</time></li>`
  })
  return `<ol>${items.join('\n')}</ol>`
}

function linked(text: string): string {
  return escape(text).replaceAll(LINK, (url) => `<a href="${url}">${url}</a>`)
}
