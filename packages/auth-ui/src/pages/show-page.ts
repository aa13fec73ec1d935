import { createHash } from 'node:crypto'
import type { Client } from '@svc/oauth-core'
import type { RouteContext } from '@svc/platform'
import type { AuthUiLog } from '../log/log-events.ts'
import type { Assets } from './assets.ts'
import { isolated, type Messages, type MessageSource } from '../messages.ts'
import { type PageHeaders, setPageHeaders } from './page-headers.ts'
import type { Look, Looks } from './looks.ts'
import type { PagesContext } from './page-renderer.ts'
import { pageData, wantsPageData } from './page-json.ts'
import { fillSlots, type Slots } from './slots.ts'
import type { Theme } from './theme.ts'
import { themeFileName } from './theme-address.ts'
import type { OwnViews } from './view-option.ts'
import { createViews, type Frame, ownViewName, type ViewName } from '../views.ts'

/** The sheets that make up a page, in order. */
const STYLES = ['tokens.css', 'base.css', 'pages.css'] as const

/** What {@link createShowPage} needs. */
export interface ShowPageOptions extends Pick<PagesContext, 'localeOf'> {
  readonly source: MessageSource
  readonly assets: Assets
  readonly looks: Looks
  readonly slots: Slots
  readonly views: OwnViews
  readonly log: Pick<AuthUiLog, 'error'>
}

/** Puts a view into the answer. */
export interface ShowPage {
  /** The texts of the request's instance. */
  messagesOf(ctx: RouteContext): Messages
  /** A page that loads the pages' own sheets and scripts. @param client whom it is about */
  show(
    ctx: RouteContext,
    view: ViewName,
    model: object,
    headers?: PageHeaders,
    client?: Client,
  ): void
  /**
   * Shows the out-of-band page, which loads and runs nothing (oauth.md 5.7). Its style is in the page, and the policy
   * names exactly that text by its hash; every other page loads its style from its own origin and has nothing inline.
   */
  showAlone(ctx: RouteContext, view: ViewName, model: object, headers?: PageHeaders): void
}

/** Joins a view with what stands around every page: name, language, looks, headers. */
export function createShowPage(options: ShowPageOptions): ShowPage {
  const { source, assets, looks, slots, log } = options
  const own = Object.entries(options.views).map(([view, path]) => [ownViewName(view), path])
  const views = createViews(Object.fromEntries(own))
  const sheets = STYLES.map((name) => assets.source(name)).join('')
  const insides = new WeakMap<Look, InsideStyle>()

  const messagesOf = (ctx: RouteContext): Messages => {
    const { instance } = ctx.state
    return source.forLocale(options.localeOf?.(ctx, instance) ?? instance.locale)
  }
  const frameOf = (
    ctx: RouteContext,
    { view, look, client }: { view: ViewName; look: Look; client?: Client | undefined },
  ): Frame => {
    const { appSlug, instance } = ctx.state
    const { domain, origin, publicName } = instance
    const messages = messagesOf(ctx)
    const about = { instance, locale: messages.locale, ...(client === undefined ? {} : { client }) }
    return {
      messages,
      name: isolated(publicName === undefined || publicName === '' ? domain : publicName).isolated,
      domain,
      asset: assets.url,
      slots: fillSlots({ slots, log, ...(appSlug === undefined ? {} : { origin }) }, view, about),
      ...(look.css === '' ? {} : { themeHref: themeHref(look, client) }),
      ...looksOf(look.theme),
    }
  }
  const themeHref = ({ css }: Look, client: Client | undefined): string =>
    looks.fixed === undefined
      ? assets.urlOf(themeFileName(client), css)
      : assets.url(themeFileName())

  /** The style of a page that loads nothing: the same for all pages of a look. */
  const insideOf = (look: Look): InsideStyle => {
    const known = insides.get(look)
    if (known !== undefined) return known
    const inlineStyle = sheets + look.css
    const hash = createHash('sha256').update(inlineStyle).digest('base64')
    const inside = { inlineStyle, styleHash: `sha256-${hash}` }
    insides.set(look, inside)
    return inside
  }
  return {
    messagesOf,
    show(ctx, view, model, headers = {}, client) {
      const data = wantsPageData(ctx) ? pageData(view, model) : undefined
      if (data !== undefined) {
        setPageHeaders(ctx, headers)
        ctx.vary('Accept, Sec-Fetch-Site')
        ctx.type = 'application/json; charset=utf-8'
        ctx.body = data
        return
      }
      const look = looks.of(ctx.state.instance, client)
      setPageHeaders(ctx, { ...headers, hasDataImages: look.hasDataImages })
      ctx.set('Content-Language', messagesOf(ctx).locale)
      ctx.body = views.render(view, frameOf(ctx, { view, look, client }), model)
    },
    showAlone(ctx, view, model, headers = {}) {
      const look = looks.of(ctx.state.instance)
      const { inlineStyle, styleHash } = insideOf(look)
      setPageHeaders(ctx, { ...headers, styleHash })
      ctx.set('Content-Language', messagesOf(ctx).locale)
      ctx.body = views.render(view, frameOf(ctx, { view, look }), model, { inlineStyle })
    },
  }
}

interface InsideStyle {
  readonly inlineStyle: string
  /** As the policy names it. */
  readonly styleHash: string
}

function looksOf({
  name,
  logoPath,
  links = [],
  scheme,
}: Theme): Pick<Frame, 'links' | 'logo' | 'product' | 'scheme'> {
  return {
    ...(name === undefined ? {} : { product: name }),
    ...(logoPath === undefined ? {} : { logo: logoPath }),
    ...(scheme === undefined ? {} : { scheme }),
    links,
  }
}
