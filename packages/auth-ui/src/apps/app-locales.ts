import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { appFolders } from '../app-folders.ts'
import { readCatalogues } from '../messages.ts'
import type { AppName, Languages } from '../words/word-options.ts'

/** Texts of an app in languages of the host, by path. */
export type AppLocales = ReadonlyMap<string, AppLocale>

interface AppLocale {
  readonly body: string
  readonly etag: string
}

/** Says in a catalogue how its language is written. */
const DIRECTION = '@dir'

/** The languages of the host for an app of ours; gaps are English. */
export function appLocales(app: AppName, languages: Languages): AppLocales {
  const found = new Map<string, AppLocale>()
  for (const [locale, language] of Object.entries(languages)) {
    const english = readCatalogues(`${appFolders[app]}/locales`).get('en')
    const direction = language.dir === undefined ? {} : { [DIRECTION]: language.dir }
    const body = JSON.stringify({ ...english, ...language[app], ...direction })
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`
    found.set(`/locales/${locale}.json`, { body, etag })
  }
  return found
}

/** Answers with texts of the host. They are no secret: nobody is asked who they are. @returns whether there are some */
export function serveAppLocale(ctx: Context, locales: AppLocales): boolean {
  const locale = locales.get(ctx.path)
  if (locale === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false
  ctx.set('Cache-Control', 'public, no-cache')
  ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.set('ETag', locale.etag)
  ctx.status = 200
  ctx.type = 'application/json; charset=utf-8'
  if (ctx.fresh) ctx.status = 304
  else ctx.body = locale.body
  return true
}
