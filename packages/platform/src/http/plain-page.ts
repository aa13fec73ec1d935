import { hash } from 'node:crypto'
import type { Context } from 'koa'
import { directionOf } from '../words/direction-of.ts'

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.25rem}'
const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Title and text, in HTML, by language. The first language is for browsers that ask for none of them. */
export type PlainWords = readonly (readonly [locale: string, title: string, text: string])[]

/** The texts of `error.status.404` of the pages of an instance. */
const NOTHING_HERE: PlainWords = [
  ['en', 'Nothing here', 'There is no page at this address.'],
  ['de', 'Hier ist nichts', 'Unter dieser Adresse gibt es keine Seite.'],
  ['es', 'Aquí no hay nada', 'No hay ninguna página en esta dirección.'],
  ['fr', 'Rien ici', 'Il n’y a pas de page à cette adresse.'],
]

/**
 * Answers with a page for hosts that are no instance: it has no name, theme or file of one, and nothing of the request.
 * The status is the caller's.
 * @example
 * plainPage(ctx, [['en', 'Nothing here', 'There is no page at this address.']])
 */
export function plainPage(ctx: Context, words: PlainWords): void {
  const wanted = ctx.acceptsLanguages(words.map(([locale]) => locale))
  const [locale = '', title = '', text = ''] =
    words.find(([each]) => each === wanted) ?? words[0] ?? []
  ctx.set('Content-Security-Policy', CSP)
  ctx.set('Content-Language', locale)
  ctx.set('X-Frame-Options', 'DENY')
  ctx.vary('Accept-Language')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html><html lang="${locale}" dir="${directionOf(locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`
}

/** The 404 page of a host that no instance has. */
export async function unknownHostPage(ctx: Context): Promise<void> {
  plainPage(ctx, NOTHING_HERE)
}
