import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { ShownPart } from '@svc/platform'
import type * as library from 'nunjucks'
import {
  isIsolated,
  type MessagePart,
  type Messages,
  type MessageValues,
  remembered,
} from './messages.ts'
import type { ProblemTexts } from './pages/form-problem.ts'

const load = createRequire(import.meta.url)

/** The pages there are: files of `views`. */
export const VIEWS = [
  'activation',
  'assistant',
  'blocked',
  'certify',
  'choose-passphrase',
  'confirm',
  'consent',
  'cookies-blocked',
  'deprecated',
  'email',
  'error',
  'limit',
  'login',
  'magic-link-open',
  'magic-link-passphrase',
  'mail-sent',
  'move',
  'notice',
  'out-of-band',
  'passcode',
  'passkey',
  'passkey-offer',
  'renew',
  'reset',
  'sharing',
] as const

export type ViewName = (typeof VIEWS)[number]

/** What stands around every page. */
export interface Frame {
  readonly messages: Messages
  /** The owner's name for the instance. */
  readonly name: string
  /** Host of the instance, with its port. */
  readonly domain: string
  /** Address of one of the package's own files. */
  readonly asset: (name: string) => string
  /** Address of the sheet of the embedder's looks, when there is one. */
  readonly themeHref?: string
  /** Whether the page follows the screen, or is always the one or the other. */
  readonly scheme?: 'auto' | 'dark' | 'light'
  /** What the host says on the page, by the name of the place: paragraphs of parts. */
  readonly slots?: Readonly<Record<string, readonly (readonly ShownPart[])[]>>
  /** Name of the embedding product. */
  readonly product?: string
  /** Path of its logo on this origin. */
  readonly logo?: string
  readonly links: readonly { readonly label: string; readonly href: string }[]
}

const SCHEMES = { auto: 'light dark', dark: 'dark', light: 'light' } as const

/** Members of a view's model that go into the page as they are; anything else is escaped. */
export interface TrustedParts {
  /** Our own style sheet, for pages that load nothing. */
  readonly inlineStyle?: string
}

export interface Views {
  /** A whole page. Texts from outside are escaped; those within sentences are isolated in `<bdi>`. */
  render(view: ViewName, frame: Frame, model: object, trusted?: TrustedParts): string
}

/**
 * The only place that knows nunjucks. Templates are the files of this package, and those that the host names at the
 * start: never a string of a request, a manifest or a store.
 * @param own - paths of templates of the host, by {@link ownViewName}
 * @see security.md 96, 97
 */
export function createViews(own: Readonly<Record<string, string>> = {}): Views {
  let environment: library.Environment | undefined
  return {
    render(view, frame, model, trusted = {}) {
      environment ??= createEnvironment(own)
      const name = ownViewName(view)
      return environment.render(Object.hasOwn(own, name) ? name : `${view}.njk`, {
        ...model,
        ...contextOf(frame),
        problemAttributes: problemAttributes(model),
        // Empty text is false in a template, an empty SafeString is not.
        inlineStyle: trusted.inlineStyle === undefined ? '' : safe(trusted.inlineStyle),
      })
    },
  }
}

/** The library, loaded with the first page. @see docs/decisions/0721 */
function nunjucks(): typeof library {
  return load('nunjucks') as typeof library
}

function createEnvironment(own: Readonly<Record<string, string>>): library.Environment {
  const { Environment, FileSystemLoader } = nunjucks()
  const folder = fileURLToPath(new URL('../views', import.meta.url))
  const loader = new FileSystemLoader(folder, { watch: false, noCache: false })
  // Asked for what is not in our folder: templates of the host, which build on ours.
  const ownLoader: library.ILoader = {
    getSource(name) {
      const path = Object.hasOwn(own, name) ? own[name] : undefined
      if (path === undefined) throw new TypeError(`there is no template ${name}`)
      return { src: readFileSync(path, 'utf8'), path, noCache: false }
    },
  }
  return new Environment([loader, ownLoader], { autoescape: true, trimBlocks: true })
}

/** Name that a template of the host is loaded by. */
export function ownViewName(view: string): string {
  return `own/${view}.njk`
}

function contextOf({ messages, name, domain, ...frame }: Frame): object {
  return {
    asset: frame.asset,
    slots: frame.slots ?? {},
    page: {
      lang: messages.locale,
      dir: messages.dir,
      name,
      domain,
      initial: initialsOf(name, 1),
      themeHref: frame.themeHref,
      scheme: SCHEMES[frame.scheme ?? 'auto'],
      product: frame.product,
      logo: frame.logo,
      links: frame.links,
    },
    t: htmlOf(messages),
    title: (key: string, values?: MessageValues) =>
      messages.text('page.title', { task: messages.text(key, values), name: { isolated: name } }),
  }
}

type HtmlOf = (key: string, values?: MessageValues) => library.runtime.SafeString

const known = new WeakMap<Messages, HtmlOf>()

/** Texts of a language as markup. */
function htmlOf(messages: Messages): HtmlOf {
  let html = known.get(messages)
  if (html === undefined) {
    html = remembered((key, values) => safe(toHtml(messages.parts(key, values))))
    known.set(messages, html)
  }
  return html
}

/** Parts to markup: every part is escaped here, so that the whole may pass the templates' own escaping. */
function toHtml(parts: readonly MessagePart[]): string {
  return parts
    .map((part) =>
      isIsolated(part)
        ? `<bdi${part.dir === undefined ? '' : ' dir="ltr"'}>${escapeHtml(part.isolated)}</bdi>`
        : escapeHtml(part),
    )
    .join('')
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ESCAPES.get(character) ?? character)
}

const attributesOf = new WeakMap<ProblemTexts, library.runtime.SafeString>()

/** What a page's scripts say of problems, as attributes of the form; made once for texts that are made once. */
function problemAttributes({
  problems,
}: {
  readonly problems?: ProblemTexts
}): string | library.runtime.SafeString {
  if (problems === undefined) return ''
  let attributes = attributesOf.get(problems)
  if (attributes === undefined) {
    attributes = safe(
      Object.entries(problems)
        .map(([code, text]) => ` data-problem-${code}="${escapeHtml(text)}"`)
        .join(''),
    )
    attributesOf.set(problems, attributes)
  }
  return attributes
}

function safe(html: string): library.runtime.SafeString {
  return new (nunjucks().runtime.SafeString)(html)
}

/** First letters of the first words of a name, in capitals; `·` when it has none. */
export function initialsOf(name: string, count: number): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const letters = words.slice(0, count).map((word) => [...word][0] ?? '')
  return letters.join('').toLocaleUpperCase() || '·'
}
