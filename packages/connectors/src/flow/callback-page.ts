import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { directionOf, type HttpError } from '@svc/platform'
import type { Context } from 'koa'

/** Texts of one language by key. */
type Texts = Readonly<Record<string, string>>

const FOLDER = new URL('../../locales/', import.meta.url)
/** The languages are those of the files. English comes first: it is what a browser without a wish gets. */
const TEXTS: ReadonlyMap<string, Texts> = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .sort((one, other) => Number(other === 'en') - Number(one === 'en') || (one < other ? -1 : 1))
    // Our own files, whose keys and texts are tested.
    .map((name) => [
      name,
      JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Texts,
    ]),
)

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:26rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.25rem}'
const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The page about an answer that cannot be used, on a host that is no instance: nobody is known there, whose name or app
 * it could show. Nothing of the request is in it.
 */
export async function callbackPage(ctx: Context, error: HttpError): Promise<void> {
  const locale = ctx.acceptsLanguages([...TEXTS.keys()]) || 'en'
  const texts = TEXTS.get(locale) ?? {}
  const title = texts['callback.title'] ?? ''
  ctx.set('Content-Security-Policy', CSP)
  ctx.set('Content-Language', locale)
  ctx.set('X-Frame-Options', 'DENY')
  ctx.vary('Accept-Language')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html><html lang="${locale}" dir="${directionOf(locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${textOf(texts, error)}</p></main></body></html>`
}

function textOf(texts: Texts, { status }: HttpError): string {
  const key = status === 429 ? 'tooMany' : status >= 500 ? 'failed' : 'unusable'
  return texts[`callback.${key}`] ?? ''
}
