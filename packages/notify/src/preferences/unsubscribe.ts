import {
  defineRoute,
  type Instance,
  provedInHandler,
  type Route,
  type RouteContext,
} from '@svc/platform'
import type { Catalogue } from '../mail/catalogue.ts'
import { toShownText } from '../mail/clean-text.ts'
import type { NoticePage } from '../ports.ts'
import type { NotifyServices } from '../services.ts'
import { changeChoices } from './held-back-wake-ups.ts'
import { applyPatch } from './patch.ts'
import { changePreferences, readPreferences } from './preference-store.ts'
import type { Preferences } from './preferences.ts'
import { listSources, type NotificationSource } from './sources.ts'
import { readUnsubscribeToken, settingsLink, type Unsubscription } from './unsubscribe-link.ts'

type UnsubscribeServices = Pick<
  NotifyServices,
  'apps' | 'catalogueOf' | 'clock' | 'namespace' | 'oauth' | 'pages' | 'settingsSlug' | 'store'
>

const PATH = '/notifications/unsubscribe'
/** The link itself proves who may follow it: no login, no cookie, no look at the origin. */
const byLink = provedInHandler(['code'], 'preferences/unsubscribe-link.ts')

/**
 * The unsubscribe link of mails: GET asks and changes nothing, since scanners follow links; POST switches mails of the
 * category off, since mailbox providers send it.
 * @see notifications.md 23.3, RFC 8058, decision D39
 */
export const unsubscribeRoutes: readonly Route<UnsubscribeServices>[] = [
  defineRoute({
    method: 'GET',
    path: PATH,
    handler: askToUnsubscribe,
    auth: byLink,
    statuses: [200, 400, 404],
    family: 'html',
    summary: 'Asks whether mails of a category are to end; the link in its mails. Changes nothing.',
    source: 'notifications.md 23.3; RFC 8058',
  }),
  defineRoute({
    method: 'POST',
    path: PATH,
    handler: unsubscribe,
    auth: byLink,
    // Any body will do: the link says it all, and providers send forms of either kind (RFC 8058 section 3.2).
    statuses: [200, 400, 404],
    family: 'html',
    activity: ['unsubscribed', 'preferences.changed'],
    summary:
      'Ends mails of a category: one click in a mail program, or the button of the page. With `undo` in the query they come again.',
    source: 'notifications.md 23.3; RFC 8058',
  }),
]

async function askToUnsubscribe(ctx: RouteContext, services: UnsubscribeServices): Promise<void> {
  const { instance } = ctx.state
  const token = tokenOf(ctx)
  const target = await readUnsubscribeToken(services, instance, token)
  if (target === undefined) return showDeadLink(ctx, services)
  const catalogue = services.catalogueOf(instance.locale)
  const names = namesOf(await knownSources(services, instance), target)
  await showPage(ctx, services, {
    title: catalogue.text('unsubscribe.title', names),
    paragraphs: [catalogue.text('unsubscribe.text', names)],
    question: {
      action: addressOf(token),
      fields: { 'List-Unsubscribe': 'One-Click' },
      button: catalogue.text('unsubscribe.button'),
    },
    ...(await linkOf(services, instance, catalogue)),
  })
}

async function unsubscribe(ctx: RouteContext, services: UnsubscribeServices): Promise<void> {
  const { instance } = ctx.state
  const token = tokenOf(ctx)
  const target = await readUnsubscribeToken(services, instance, token)
  if (target === undefined) return showDeadLink(ctx, services)
  const { source, category: name } = target
  // Not in the body: what mail programs send there is the same for everybody (RFC 8058).
  const isUndo = ctx.state.query.get('undo') !== undefined
  const patch = { sources: [{ id: source, categories: [{ name, channels: { mail: isUndo } }] }] }
  const known = await knownSources(services, instance)
  const { app } = namesOf(known, target)
  const note = services.oauth.activity.pending(instance, {
    event: isUndo ? 'preferences.changed' : 'unsubscribed',
    // Anyone with the mail may use its link.
    actor: { kind: 'unknown' },
    target: { kind: 'source', id: source, name: app },
  })
  await changeChoices(services, instance, () =>
    changePreferences(
      services,
      instance,
      ({ preferences: current }) =>
        isOff(current, target) === isUndo ? applyPatch(current, patch, known) : undefined,
      note,
    ),
  )
  const catalogue = services.catalogueOf(instance.locale)
  await showPage(ctx, services, {
    title: catalogue.text(isUndo ? 'resubscribed.title' : 'unsubscribed.title'),
    paragraphs: [
      catalogue.text(isUndo ? 'resubscribed.text' : 'unsubscribed.text', namesOf(known, target)),
    ],
    ...(!isUndo && {
      question: {
        action: `${addressOf(token)}&undo=1`,
        fields: {},
        button: catalogue.text('unsubscribed.undo'),
        isQuiet: true,
      },
    }),
    ...(await linkOf(services, instance, catalogue)),
  })
}

/** The link was cut off by a mail program, or is of another server: the settings can do the same. */
async function showDeadLink(ctx: RouteContext, services: UnsubscribeServices): Promise<void> {
  const { instance } = ctx.state
  const catalogue = services.catalogueOf(instance.locale)
  await showPage(ctx, services, {
    title: catalogue.text('unsubscribe.dead.title'),
    paragraphs: [catalogue.text('unsubscribe.dead.text')],
    ...(await linkOf(services, instance, catalogue)),
  })
  ctx.status = 404
}

async function showPage(
  ctx: RouteContext,
  { pages }: UnsubscribeServices,
  page: NoticePage,
): Promise<void> {
  if (pages.current === undefined) {
    throw new TypeError('the pages of routes() have to be given first')
  }
  await pages.current.notice(ctx, page)
}

async function linkOf(
  services: UnsubscribeServices,
  instance: Instance,
  catalogue: Catalogue,
): Promise<Pick<NoticePage, 'link'>> {
  const url = await settingsLink(services, instance)
  return url === undefined ? {} : { link: { label: catalogue.text('unsubscribe.settings'), url } }
}

async function knownSources(
  services: UnsubscribeServices,
  instance: Instance,
): Promise<readonly NotificationSource[]> {
  const { preferences } = await readPreferences(services, instance)
  return listSources(services, instance, preferences)
}

function namesOf(
  known: readonly NotificationSource[],
  { source, category }: Unsubscription,
): { readonly app: string; readonly category: string } {
  const found = known.find(({ id }) => id === source)
  const description = found?.categories.get(category)?.description ?? ''
  return {
    app: toShownText(found?.name ?? source.slice(source.lastIndexOf('/') + 1), 100),
    category: toShownText(description === '' ? category : description, 200),
  }
}

/** A path on the instance. */
function addressOf(token: string): string {
  return `${PATH}?t=${encodeURIComponent(token)}`
}

function tokenOf({ state }: RouteContext): string {
  return state.query.get('t') ?? ''
}

/** Of many clicks at once the first one does it. */
function isOff({ sources }: Preferences, { source, category }: Unsubscription): boolean {
  const categories = Object.hasOwn(sources, source) ? (sources[source]?.categories ?? {}) : {}
  const chosen = Object.hasOwn(categories, category) ? categories[category] : undefined
  return chosen?.off?.includes('mail') === true
}
