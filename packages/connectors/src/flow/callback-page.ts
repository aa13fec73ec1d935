import { hash } from 'node:crypto'
import type { HttpError } from '@svc/platform'
import type { Context } from 'koa'

interface Texts {
  readonly title: string
  readonly unusable: string
  readonly tooMany: string
  readonly failed: string
}

const TEXTS: Readonly<Record<string, Texts>> = {
  en: {
    title: 'The account was not connected',
    unusable:
      'This answer was used already, or it is too old. Go back to the app and connect the account again.',
    tooMany: 'There were too many attempts. Wait a minute, then connect the account again.',
    failed: 'Something went wrong on our side. Go back to the app and try again in a moment.',
  },
  fr: {
    title: 'Le compte n’a pas été connecté',
    unusable:
      'Cette réponse a déjà servi ou elle est trop ancienne. Revenez à l’application et connectez de nouveau le compte.',
    tooMany: 'Il y a eu trop d’essais. Attendez une minute, puis connectez de nouveau le compte.',
    failed:
      'Quelque chose s’est mal passé chez nous. Revenez à l’application et réessayez dans un instant.',
  },
  de: {
    title: 'Das Konto wurde nicht verbunden',
    unusable:
      'Diese Antwort wurde schon verwendet oder ist zu alt. Gehen Sie zurück zur App und verbinden Sie das Konto noch einmal.',
    tooMany:
      'Das waren zu viele Versuche. Warten Sie eine Minute und verbinden Sie das Konto dann noch einmal.',
    failed:
      'Bei uns ist etwas schiefgegangen. Gehen Sie zurück zur App und versuchen Sie es gleich noch einmal.',
  },
  es: {
    title: 'La cuenta no se ha conectado',
    unusable:
      'Esta respuesta ya se ha usado o es demasiado antigua. Vuelva a la aplicación y conecte de nuevo la cuenta.',
    tooMany: 'Ha habido demasiados intentos. Espere un minuto y vuelva a conectar la cuenta.',
    failed:
      'Algo ha fallado por nuestra parte. Vuelva a la aplicación e inténtelo de nuevo en un momento.',
  },
}

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
  const locale = ctx.acceptsLanguages(Object.keys(TEXTS)) || 'en'
  // Every locale that can be answered is in the table.
  const texts = TEXTS[locale] as Texts
  const { title } = texts
  ctx.set('Content-Security-Policy', CSP)
  ctx.set('Content-Language', locale)
  ctx.set('X-Frame-Options', 'DENY')
  ctx.vary('Accept-Language')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1><p>${textOf(texts, error)}</p></main></body></html>`
}

function textOf({ unusable, tooMany, failed }: Texts, { status }: HttpError): string {
  if (status === 429) return tooMany
  return status >= 500 ? failed : unusable
}
