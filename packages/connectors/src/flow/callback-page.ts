import { readdirSync, readFileSync } from 'node:fs'
import { type HttpError, plainPage } from '@svc/platform'
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

/**
 * The page about an answer that cannot be used, on a host that is no instance: nobody is known there, whose name or app
 * it could show. Nothing of the request is in it.
 */
export async function callbackPage(ctx: Context, error: HttpError): Promise<void> {
  const words = [...TEXTS].map(
    ([locale, texts]) => [locale, texts['callback.title'] ?? '', textOf(texts, error)] as const,
  )
  plainPage(ctx, words)
}

function textOf(texts: Texts, { status }: HttpError): string {
  const key = status === 429 ? 'tooMany' : status >= 500 ? 'failed' : 'unusable'
  return texts[`callback.${key}`] ?? ''
}
