import { OAuthError } from '@svc/oauth-core'
import { type RouteContext, type RouteRow } from '@svc/platform'
import { escape, sendMail, sendPage } from './dev-page.ts'
import type { DevMailbox, KeptMail } from '../../notifications/development.ts'

const LINK = /https?:\/\/[^\s<>"]+/g

/**
 * The development mailbox: mails of an instance that no server takes. They hold links that open the instance: mount
 * these rows behind `DevPages.guard`.
 */
export function mailRoutes(mailbox: DevMailbox): readonly RouteRow[] {
  const shared = {
    method: 'GET',
    auth: ['none'],
    family: 'html',
    source: 'architecture.md 5',
  } as const
  return [
    {
      ...shared,
      path: '/dev/mails',
      statuses: [200, 404],
      summary: 'Lists the last mails, newest first. Development only, from this machine only.',
      async handler(ctx) {
        const mails = await mailbox.list(ctx.state.instance)
        const list = mails.length === 0 ? '<p>No mail yet.</p>' : listOf(mails)
        sendPage(
          ctx,
          'Mails',
          `${list}\n<p><a href="/dev/mails/preview">All kinds of mails</a></p>`,
        )
      },
    },
    {
      ...shared,
      path: '/dev/mails/:id',
      statuses: [200, 404],
      summary: 'One mail: its text, and a link to its HTML form.',
      async handler(ctx) {
        const { id, mail } = await find(ctx, mailbox)
        sendPage(
          ctx,
          mail.subject,
          `<p>From ${escape(mail.from.address)} to ${escape(mail.to.address)}, ${escape(mail.locale)}</p>
<pre>${linked(mail.text)}</pre>
<p><a href="/dev/mails/${id}/html">As HTML</a> · <a href="/dev/mails">All mails</a></p>`,
        )
      },
    },
    {
      ...shared,
      path: '/dev/mails/:id/html',
      statuses: [200, 404],
      summary: 'The HTML form of a mail.',
      async handler(ctx) {
        const { mail } = await find(ctx, mailbox)
        sendMail(ctx, mail.html)
      },
    },
  ]
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
