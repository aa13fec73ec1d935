import type { Instance } from '@svc/platform'
import { isLongInteger } from '@svc/store'
import { toHeaderText } from '../mail/mail-address.ts'
import type { NotificationRecord } from '../outbox/notification.ts'
import type { NotifyApps } from '../ports.ts'
import { type Poster, posterOf } from './poster.ts'
import { MAX_TEMPLATE_BYTES, type TemplateForm } from './render-job.ts'
import type { RenderServices } from '../services.ts'

const MAX_PATH_LENGTH = 1024

/** Output of a template; `failed`: reported as `template_error`. Undefined: no template. */
export type TemplateOutcome = { readonly output: string } | 'failed' | undefined

/**
 * Renders a template of the app that posted, read from its folder.
 * @param template.key - `mail`, `mail.text`, `mobile` or `sms`; that of the owner's language is taken when there is one
 * @see notifications.md 10.3
 */
export async function renderTemplate(
  {
    apps,
    log,
    oauth,
    renderWorker,
  }: Pick<RenderServices, 'apps' | 'log' | 'oauth' | 'renderWorker'>,
  { key, form }: { readonly key: string; readonly form: TemplateForm },
  instance: Instance,
  record: NotificationRecord,
): Promise<TemplateOutcome> {
  const reference = referenceFor(record.flags.templates ?? {}, key, instance.locale)
  if (reference === undefined || !hasFolders(apps, record)) return undefined
  const poster = await posterOf(oauth, apps, instance, record)
  try {
    const source = await readTemplate(apps, poster, reference)
    const data = templateData(instance, record, poster)
    const output = await renderWorker.run({ kind: 'template', form, source, data })
    if (output.trim() === '') throw new Error('empty output')
    return { output }
  } catch (error) {
    log.warn('notification.template_failed', {
      domain: instance.domain,
      notification: record.id,
      slug: poster.slug,
      template: key,
      fault: error instanceof Error ? toHeaderText(error.message) : 'unknown',
    })
    return 'failed'
  }
}

/** Whether the host has folders of those who post so. */
function hasFolders(apps: NotifyApps, { originator }: NotificationRecord): boolean {
  const read = originator === 'konnector' ? apps.readKonnectorFile : apps.readFile
  return read !== undefined
}

async function readTemplate(apps: NotifyApps, poster: Poster, reference: string): Promise<string> {
  const path = parseTemplatePath(reference)
  const bytes = path === undefined ? undefined : await readFile(apps, poster, path)
  if (bytes === undefined) throw new Error('missing file')
  if (bytes.byteLength > MAX_TEMPLATE_BYTES) throw new Error('file too large')
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

async function readFile(
  apps: NotifyApps,
  { app, konnector }: Poster,
  path: string,
): Promise<Uint8Array | undefined> {
  if (konnector !== undefined) return apps.readKonnectorFile?.(konnector, path)
  return app === undefined ? undefined : apps.readFile?.(app, path)
}

/**
 * The path inside the app's folder that a manifest's `file:…` names, normal; undefined for anything else: another
 * scheme, absolute, leaving the folder.
 * @see notifications.md 10.3
 */
export function parseTemplatePath(reference: string): string | undefined {
  if (!reference.startsWith('file:') || reference.length > MAX_PATH_LENGTH) return undefined
  const path = reference.slice('file:'.length)
  // A backslash parts folders on some systems, and names never have control characters.
  if (/^\/|[\\\u0000-\u001f\u007f]/.test(path) || !path.isWellFormed()) return undefined
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  const isInside = segments.length > 0 && !segments.includes('..') && !path.endsWith('/')
  return isInside ? segments.join('/') : undefined
}

/** The reference for the owner's language: `<key>.<locale>`, `<key>.<language>`, else the bare key. */
export function referenceFor(
  templates: Readonly<Record<string, string>>,
  key: string,
  locale: string,
): string | undefined {
  const language = locale.split('-', 1)[0] ?? locale
  const names = [`${key}.${locale}`, `${key}.${language.toLowerCase()}`, key]
  const name = names.find((each) => Object.hasOwn(templates, each))
  return name === undefined ? undefined : templates[name]
}

/** Variables of a template: the keys of `data`, and three names of ours that win. @see notifications.md 10.3 */
export function templateData(
  instance: Instance,
  record: NotificationRecord,
  { slug, name }: Poster,
): Readonly<Record<string, unknown>> {
  const { title, message, category, categoryId, state, priority, createdAt } = record
  return {
    ...withDigitsAsText(record.data ?? {}),
    notification: {
      title,
      message: message ?? '',
      category,
      category_id: categoryId ?? '',
      state: state ?? '',
      priority: priority ?? '',
      created_at: new Date(createdAt).toISOString(),
    },
    app: { slug: slug ?? '', name: name ?? '' },
    instance: {
      domain: instance.domain,
      url: instance.origin,
      public_name: instance.publicName ?? '',
      locale: instance.locale,
    },
  }
}

/** Integers beyond 2^53 as their digits: their objects do not get into another thread. */
function withDigitsAsText(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (isLongInteger(value)) return JSON.stringify(value)
    return Array.isArray(value) ? value.map(shown) : withDigitsAsText(value as typeof members)
  }
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, shown(value)]))
}
