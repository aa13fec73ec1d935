import {
  type AppMail,
  MAIL_LOCALES,
  type Notify,
  sampleAppMails,
  sampleMails,
  type SystemMail,
} from '@svc/notify'
import { OAuthError } from '@svc/oauth-core'
import { defineRoute, type Instance, type Route, type RouteContext } from '@svc/platform'
import type { Clock } from '@svc/store'
import { DEV_PAGE, type DevPageServices } from './dev-pages.ts'
import { escape, sendMail, sendPage } from './dev-page.ts'

/** What previews are made with. */
export interface PreviewServices extends DevPageServices {
  readonly render: Notify['render']
  readonly clock: Clock
}

const PREVIEW = { ...DEV_PAGE, source: 'notifications.md 10.2' }

/** Every mail with made-up variables, to look at; nothing is sent. They come before `/dev/mails/:id`. */
export const previewRoutes: readonly Route<PreviewServices>[] = [
  defineRoute({
    ...PREVIEW,
    path: '/dev/mails/preview',
    handler: listKinds,
    summary: 'Lists the mails this server can send. Development only, from this machine only.',
  }),
  defineRoute({
    ...PREVIEW,
    path: '/dev/mails/preview/:name',
    handler: showKind,
    summary: 'One kind of mail with made-up variables, in the language of the query `locale`.',
  }),
]

function listKinds(ctx: RouteContext, { clock }: PreviewServices): void {
  const names = [...samplesOf(ctx.state.instance, clock.now()).keys()]
  const list = `<ul>\n${names.map(itemOf).join('\n')}\n</ul>`
  sendPage(ctx, 'Kinds of mails', `${list}\n<p><a href="/dev/mails">All mails</a></p>`)
}

async function showKind(ctx: RouteContext, { clock, render }: PreviewServices): Promise<void> {
  const { instance } = ctx.state
  const mail = samplesOf(instance, clock.now()).get(String(ctx.params['name']))
  if (mail === undefined) throw new OAuthError('not_found')
  const locale = String(ctx.query['locale'] ?? instance.locale)
  const { html, text, subject } = await render({ ...instance, locale }, mail)
  if (ctx.query['as'] === 'text') sendPage(ctx, subject, `<pre>${escape(text)}</pre>`)
  else sendMail(ctx, html)
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
