import { createHash } from 'node:crypto'
import type { RouteContext } from '@svc/oauth-core'
import { createAssets } from '../assets.ts'
import { createMessages, isolated, type Messages, type MessageSource } from '../messages.ts'
import { type PageHeaders, setPageHeaders } from '../page-headers.ts'
import type { FormProblem, PageRenderer, PagesContext } from '../page-renderer.ts'
import { themeStyle } from '../theme.ts'
import { createViews, type Frame, type TrustedParts, type ViewName } from '../views.ts'
import { consentModel } from './consent-model.ts'
import { errorModel } from './error-model.ts'
import { permissionSentence } from './permission-words.ts'

/** The sheets that make up a page, in order. */
const STYLES = ['tokens.css', 'base.css', 'pages.css'] as const

/** Problems that a form sent by script can meet: their words travel with the form. */
const SCRIPT_PROBLEMS: readonly (readonly [code: string, key: string])[] = [
  ['busy', 'busy'],
  ['cross_origin', 'csrf'],
  ['csrf_invalid', 'csrf'],
  ['csrf_missing', 'csrf'],
  ['invalid_hint', 'invalid_hint'],
  ['invalid_parameter', 'invalid_parameter'],
  ['invalid_passphrase', 'invalid_passphrase'],
  ['kdf_iterations', 'kdf_iterations'],
  ['rate_limited', 'rate_limited'],
]

/** More than the port: what tests and other pages of this package need. */
export interface PagesOptions extends PagesContext {
  /** @defaultValue the catalogues of this package */
  readonly messages?: MessageSource
}

/**
 * The pages, as the owner sees them.
 * @throws TypeError naming the option when the theme cannot be used
 */
export function createPages(options: PagesOptions): PageRenderer {
  const { namespace, theme } = options
  const source = options.messages ?? createMessages()
  const themeCss = theme === undefined ? undefined : themeStyle(theme)
  const assets = createAssets(themeCss === undefined ? {} : { 'theme.css': themeCss })
  const views = createViews()
  const inlineStyle = [...STYLES.map((name) => assets.source(name)), themeCss ?? ''].join('')
  const styleHash = `sha256-${createHash('sha256').update(inlineStyle).digest('base64')}`

  const messagesOf = (ctx: RouteContext): Messages => {
    const { instance } = ctx.state
    return source.forLocale(options.localeOf?.(ctx, instance) ?? instance.locale)
  }
  const frameOf = (ctx: RouteContext, messages: Messages): Frame => {
    const { domain, publicName } = ctx.state.instance
    return {
      messages,
      name: isolated(publicName === undefined || publicName === '' ? domain : publicName).isolated,
      domain,
      asset: assets.url,
      hasTheme: themeCss !== undefined,
      ...(theme?.name === undefined ? {} : { product: theme.name }),
      ...(theme?.logoPath === undefined ? {} : { logo: theme.logoPath }),
      links: theme?.links ?? [],
    }
  }
  const show = (
    ctx: RouteContext,
    view: ViewName,
    messages: Messages,
    model: object,
    headers: PageHeaders = {},
    trusted: TrustedParts = {},
  ): void => {
    setPageHeaders(ctx, headers)
    ctx.set('Content-Language', messages.locale)
    ctx.body = views.render(view, frameOf(ctx, messages), model, trusted)
  }

  return {
    rows: assets.rows,
    permissionWords: (locale, permission) =>
      permissionSentence(source.forLocale(locale), permission, namespace),

    async loginPage(ctx, model) {
      const messages = messagesOf(ctx)
      const problem = problemText(messages, model.problem)
      show(
        ctx,
        'login',
        messages,
        { model, problem, problems: problemTexts(messages) },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },

    async activationPage(ctx, model) {
      const headers = {
        formActionSources: model.formActionSources,
        keepsOpener: keepsOpener(ctx.path),
      }
      show(ctx, 'activation', messagesOf(ctx), { model }, headers)
    },

    async choosePassphrasePage(ctx, model) {
      const messages = messagesOf(ctx)
      const { formActionSources } = model
      show(
        ctx,
        'choose-passphrase',
        messages,
        {
          model,
          problem: problemText(messages, model.problem),
          isHintProblem: model.problem?.code === 'invalid_hint',
          problems: problemTexts(messages),
        },
        { formActionSources },
      )
    },

    async consentPage(ctx, model) {
      const messages = messagesOf(ctx)
      show(
        ctx,
        'consent',
        messages,
        { model, ...consentModel(model.view, namespace, messages) },
        { formActionSources: model.formActionSources, keepsOpener: true },
      )
    },

    async outOfBandPage(ctx, model) {
      const headers = { keepsOpener: true, styleHash }
      show(ctx, 'out-of-band', messagesOf(ctx), { model }, headers, { inlineStyle })
    },

    async errorPage(ctx, model) {
      const messages = messagesOf(ctx)
      const { instance, appSlug } = ctx.state
      // The way on is a path of the instance, also on an app's host.
      const words = errorModel(model, messages, appSlug === undefined ? '' : instance.origin)
      const domain = isolated(instance.domain)
      // It loads nothing: app hosts have no assets of ours, and a blocked instance has none at all.
      const headers = { keepsOpener: keepsOpener(ctx.path), styleHash }
      show(ctx, words.view, messages, { ...words, domain }, headers, { inlineStyle })
    },
  }
}

function problemText(messages: Messages, problem: FormProblem | undefined): string {
  if (problem === undefined) return ''
  const minutes = Math.max(1, Math.ceil((problem.retryAfterS ?? 0) / 60))
  return messages.text(`problem.${problem.code}`, { minutes: String(minutes) })
}

/** The same words for the script, which puts the minutes in itself. */
function problemTexts(messages: Messages): Readonly<Record<string, string>> {
  return Object.fromEntries(
    SCRIPT_PROBLEMS.map(([code, key]) => [
      code,
      messages.text(`problem.${key}`, { minutes: '{minutes}' }),
    ]),
  )
}

/** Pages that an authorization in a pop-up can pass through. @see decision D55 */
function keepsOpener(path: string): boolean {
  return /^\/auth\/(?:authorize|login|twofactor|magic_link|confirm)(?:\/|$)/u.test(path)
}
