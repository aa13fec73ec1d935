import { createHash } from 'node:crypto'
import type { RouteContext } from '@svc/platform'
import type { Assets } from './assets.ts'
import { isolated, type Messages, type MessageSource } from '../messages.ts'
import { type PageHeaders, setPageHeaders } from './page-headers.ts'
import type { PagesContext, Theme } from './page-renderer.ts'
import { createViews, type Frame, type ViewName } from '../views.ts'

/** The sheets that make up a page, in order. */
const STYLES = ['tokens.css', 'base.css', 'pages.css'] as const

/** What {@link createShowPage} needs. */
export interface ShowPageOptions extends Pick<PagesContext, 'localeOf' | 'theme'> {
  readonly source: MessageSource
  readonly assets: Assets
  /** The theme's sheet, when there is a theme. */
  readonly themeCss: string | undefined
}

/** Puts a view into the answer. */
export interface ShowPage {
  /** The texts of the request's instance. */
  messagesOf(ctx: RouteContext): Messages
  /** A page that loads the pages' own sheets and scripts. */
  show(ctx: RouteContext, view: ViewName, model: object, headers?: PageHeaders): void
  /**
   * Shows the out-of-band page, which loads and runs nothing (oauth.md 5.7). Its style is in the page, and the policy
   * names exactly that text by its hash; every other page loads its style from its own origin and has nothing inline.
   */
  showAlone(ctx: RouteContext, view: ViewName, model: object, headers?: PageHeaders): void
}

/** Joins a view with what stands around every page: name, language, looks, headers. */
export function createShowPage(options: ShowPageOptions): ShowPage {
  const { source, assets, themeCss, theme } = options
  const views = createViews()
  const inlineStyle = [...STYLES.map((name) => assets.source(name)), themeCss ?? ''].join('')
  const styleHash = `sha256-${createHash('sha256').update(inlineStyle).digest('base64')}`

  const messagesOf = (ctx: RouteContext): Messages => {
    const { instance } = ctx.state
    return source.forLocale(options.localeOf?.(ctx, instance) ?? instance.locale)
  }
  const frameOf = (ctx: RouteContext): Frame => {
    const { domain, publicName } = ctx.state.instance
    return {
      messages: messagesOf(ctx),
      name: isolated(publicName === undefined || publicName === '' ? domain : publicName).isolated,
      domain,
      asset: assets.url,
      hasTheme: themeCss !== undefined,
      ...looksOf(theme),
    }
  }
  return {
    messagesOf,
    show(ctx, view, model, headers = {}) {
      setPageHeaders(ctx, headers)
      ctx.set('Content-Language', messagesOf(ctx).locale)
      ctx.body = views.render(view, frameOf(ctx), model)
    },
    showAlone(ctx, view, model, headers = {}) {
      setPageHeaders(ctx, { ...headers, styleHash })
      ctx.set('Content-Language', messagesOf(ctx).locale)
      ctx.body = views.render(view, frameOf(ctx), model, { inlineStyle })
    },
  }
}

function looksOf(theme: Theme | undefined): Pick<Frame, 'links' | 'logo' | 'product'> {
  return {
    ...(theme?.name === undefined ? {} : { product: theme.name }),
    ...(theme?.logoPath === undefined ? {} : { logo: theme.logoPath }),
    links: theme?.links ?? [],
  }
}
