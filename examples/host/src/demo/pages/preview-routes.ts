import {
  type AppMail,
  MAIL_LOCALES,
  type Notify,
  sampleAppMails,
  sampleMails,
  type SystemMail,
} from '@svc/notify'
import { OAuthError } from '@svc/oauth-core'
import { type Instance, type RouteRow } from '@svc/platform'
import { escape, sendMail, sendPage } from './dev-page.ts'

/** What previews are made with. */
interface PreviewParts {
  readonly render: Notify['render']
  readonly clock: { now(): number }
}

/** Every mail with made-up variables, to look at; nothing is sent. Before `/dev/mails/:id`, behind `DevPages.guard`. */
export function previewRoutes({ render, clock }: PreviewParts): readonly RouteRow[] {
  const shared = {
    method: 'GET',
    auth: ['none'],
    family: 'html',
    source: 'notifications.md 10.2',
  } as const
  return [
    {
      ...shared,
      path: '/dev/mails/preview',
      statuses: [200, 404],
      summary: 'Lists the mails this server can send. Development only, from this machine only.',
      handler(ctx) {
        const names = [...samplesOf(ctx.state.instance, clock.now()).keys()]
        sendPage(
          ctx,
          'Kinds of mails',
          `<ul>\n${names.map(itemOf).join('\n')}\n</ul>\n<p><a href="/dev/mails">All mails</a></p>`,
        )
      },
    },
    {
      ...shared,
      path: '/dev/mails/preview/:name',
      statuses: [200, 404],
      summary: 'One kind of mail with made-up variables, in the language of the query `locale`.',
      async handler(ctx) {
        const { instance } = ctx.state
        const mail = samplesOf(instance, clock.now()).get(String(ctx.params['name']))
        if (mail === undefined) throw new OAuthError('not_found')
        const locale = String(ctx.query['locale'] ?? instance.locale)
        const { html, text, subject } = await render({ ...instance, locale }, mail)
        if (ctx.query['as'] === 'text') sendPage(ctx, subject, `<pre>${escape(text)}</pre>`)
        else sendMail(ctx, html)
      },
    },
  ]
}

function samplesOf(instance: Instance, time: number): ReadonlyMap<string, SystemMail | AppMail> {
  return new Map<string, SystemMail | AppMail>([
    ...sampleMails(instance, time),
    ...sampleAppMails(instance, time),
  ])
}

function itemOf(name: string): string {
  const address = `/dev/mails/preview/${name}?locale=`
  const links = MAIL_LOCALES.map(
    (locale) =>
      `<a href="${address}${locale}">${locale}</a> (<a href="${address}${locale}&amp;as=text">text</a>)`,
  )
  return `<li>${escape(name)}: ${links.join(', ')}</li>`
}
