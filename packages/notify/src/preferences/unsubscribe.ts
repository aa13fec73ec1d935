import type { Instance, RouteContext, RouteRow } from '@svc/platform'
import type { Catalogue } from '../mail/catalogue.ts'
import type { NoticePages } from '../ports.ts'
import { toShownText } from '../mail/shown-text.ts'
import { applyPatch } from './patch.ts'
import type { ChangeChoices } from './preferences-endpoint.ts'
import type { PreferenceStore } from './preference-store.ts'
import type { Preferences } from './preferences.ts'
import type { ListSources, NotificationSource } from './sources.ts'
import type { UnsubscribeTokens, Unsubscription } from './unsubscribe-tokens.ts'

export interface UnsubscribeRowsOptions {
  readonly tokens: UnsubscribeTokens
  readonly preferences: PreferenceStore
  readonly listSources: ListSources
  /** Runs a change of the choices, and looks at what they held back. */
  readonly around: ChangeChoices
  readonly catalogueOf: (tag: string) => Catalogue
  readonly settingsUrl: (instance: Instance) => Promise<string | undefined>
  /** Known once the pages are: asked at every request. */
  readonly pages: () => NoticePages
}

const PATH = '/notifications/unsubscribe'

/**
 * The way out that stands in mails: GET asks and changes nothing, since scanners follow links; POST switches mails of
 * the category off, without a log-in, a cookie or a look at the origin, since mailbox providers send it.
 * @see notifications.md 23.3, RFC 8058, decision D39
 */
export function createUnsubscribeRows(options: UnsubscribeRowsOptions): readonly RouteRow[] {
  const { tokens, preferences, listSources, catalogueOf, settingsUrl, pages } = options

  const tokenOf = ({ state }: RouteContext): string => state.query.get('t') ?? ''

  /** Cut off by a mail program, or of another server: the settings can do the same. */
  async function tellDead(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const catalogue = catalogueOf(instance.locale)
    await pages().notice(ctx, {
      title: catalogue.text('unsubscribe.dead.title'),
      paragraphs: [catalogue.text('unsubscribe.dead.text')],
      ...(await linkOf(instance, catalogue)),
    })
    ctx.status = 404
  }

  async function knownSources(instance: Instance): Promise<readonly NotificationSource[]> {
    return listSources(instance, (await preferences.read(instance)).preferences)
  }

  function namesOf(known: readonly NotificationSource[], { source, category }: Unsubscription) {
    const found = known.find(({ id }) => id === source)
    const description = found?.categories.get(category)?.description ?? ''
    return {
      app: toShownText(found?.name ?? source.slice(source.lastIndexOf('/') + 1), 100),
      category: toShownText(description === '' ? category : description, 200),
    }
  }

  async function linkOf(instance: Instance, catalogue: Catalogue) {
    const url = await settingsUrl(instance)
    return url === undefined ? {} : { link: { label: catalogue.text('unsubscribe.settings'), url } }
  }

  async function ask(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const token = tokenOf(ctx)
    const target = tokens.read(instance, token)
    if (target === undefined) return tellDead(ctx)
    const catalogue = catalogueOf(instance.locale)
    const names = namesOf(await knownSources(instance), target)
    await pages().notice(ctx, {
      title: catalogue.text('unsubscribe.title'),
      paragraphs: [catalogue.text('unsubscribe.text', names)],
      question: {
        action: `${PATH}?t=${encodeURIComponent(token)}`,
        fields: { 'List-Unsubscribe': 'One-Click' },
        button: catalogue.text('unsubscribe.button'),
      },
      ...(await linkOf(instance, catalogue)),
    })
  }

  async function unsubscribe(ctx: RouteContext): Promise<void> {
    const { instance } = ctx.state
    const target = tokens.read(instance, tokenOf(ctx))
    if (target === undefined) return tellDead(ctx)
    const { source, category: name } = target
    const patch = { sources: [{ id: source, categories: [{ name, channels: { mail: false } }] }] }
    const known = await knownSources(instance)
    await options.around(instance, () =>
      preferences.change(instance, ({ preferences: current }) =>
        isOff(current, target) ? undefined : applyPatch(current, patch, known),
      ),
    )
    const catalogue = catalogueOf(instance.locale)
    await pages().notice(ctx, {
      title: catalogue.text('unsubscribed.title'),
      paragraphs: [catalogue.text('unsubscribed.text', namesOf(known, target))],
      ...(await linkOf(instance, catalogue)),
    })
  }

  const shared = {
    path: PATH,
    auth: ['code'],
    family: 'html',
    source: 'notifications.md 23.3; RFC 8058',
  } as const
  return [
    {
      ...shared,
      method: 'GET',
      handler: ask,
      statuses: [200, 400, 404],
      summary:
        'Asks whether mails of a category are to end; the link in its mails. Changes nothing.',
    },
    {
      ...shared,
      method: 'POST',
      handler: unsubscribe,
      // Any body will do: the link says it all, and providers send forms of either kind (RFC 8058 section 3.2).
      statuses: [200, 400, 404],
      summary: 'Ends mails of a category: one click in a mail program, or the button of the page.',
    },
  ]
}

/** Of many clicks at once the first one does it. */
function isOff({ sources }: Preferences, { source, category }: Unsubscription): boolean {
  const categories = Object.hasOwn(sources, source) ? (sources[source]?.categories ?? {}) : {}
  const chosen = Object.hasOwn(categories, category) ? categories[category] : undefined
  return chosen?.off?.includes('mail') === true
}
