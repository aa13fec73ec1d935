import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppManifest } from '@svc/oauth-core'
import type { Instance, RouteContext } from '@svc/platform'
import type { Context, Next } from 'koa'
import { appFolders } from '../app-folders.ts'
import type { AuthUiServices } from '../services.ts'
import type { AppName, Languages } from '../words/word-options.ts'
import { type AppLocales, appLocales, serveAppLocale } from './app-locales.ts'
import type { AppFolder } from './app-files.ts'
import { visitApp } from './app-pages.ts'
import type { BuiltInApp } from './built-in-option.ts'
import { serveAppFolder } from './serve-app.ts'

/** The built-in apps on their hosts. */
export interface BuiltInApps {
  /** Whether an app of the instance is one of them. */
  has(instance: Instance, slug: string): Promise<boolean>
  /** Serves their hosts; everything else goes on. */
  serve(ctx: Context, next: Next): Promise<void>
}

/**
 * Gives every instance the built-in apps, below the apps of the host: where that has one of the same slug, it serves it
 * itself.
 * @see owner.md 8.1, 8.2
 */
export function useBuiltInApps(services: AuthUiServices): BuiltInApps {
  const bySlug = new Map<string, ServedApp>()
  for (const app of listBuiltInApps(services)) {
    services.oauth.useBuiltInApp(app.manifest)
    bySlug.set(app.manifest.slug, app)
  }

  async function find(instance: Instance, slug: string): Promise<ServedApp | undefined> {
    const app = bySlug.get(slug)
    if (app === undefined) return undefined
    return (await services.apps.installed(instance, slug)) === app.manifest ? app : undefined
  }

  async function serveHost(
    ctx: Context,
    next: Next,
    { instance, appSlug }: { readonly instance: Instance; readonly appSlug: string },
  ): Promise<void> {
    const app = await find(instance, appSlug)
    if (app === undefined) return next()
    if (serveAppLocale(ctx, app.locales)) return
    await serveAppFolder(ctx, { visit: (...visit) => visitApp(services, ...visit) }, app)
  }

  return {
    has: async (instance, slug) => (await find(instance, slug)) !== undefined,
    serve(ctx, next) {
      const { instance, appSlug } = ctx.state as Partial<RouteContext['state']>
      // Most requests: they wait for nothing here.
      if (instance === undefined || appSlug === undefined) return next()
      return serveHost(ctx, next, { instance, appSlug })
    },
  }
}

interface ServedApp extends AppFolder {
  /** Languages of the host, for an app of ours. */
  readonly locales: AppLocales
}

function listBuiltInApps({ options, namespace }: AuthUiServices): readonly ServedApp[] {
  const { homeSlug, locales, settingsSlug } = options
  const own = (name: AppName, slug: string): OwnApp => ({ name, slug, namespace, locales })
  const { settings = true, home = options.home === undefined } = options.builtInApps
  return [
    ...appOf(settings, own('settings', settingsSlug)),
    // Where owners begin in the settings there is nothing beside them.
    ...(homeSlug === settingsSlug ? [] : appOf(home, own('home', homeSlug))),
  ]
}

interface OwnApp {
  readonly name: AppName
  readonly slug: string
  readonly namespace: string
  readonly locales: Languages
}

function appOf(chosen: BuiltInApp, own: OwnApp): readonly ServedApp[] {
  const { name, slug, namespace } = own
  if (chosen === false) return []
  if (chosen !== true) {
    return [{ ...chosen, manifest: { ...chosen.manifest, slug }, locales: new Map() }]
  }
  const folder = appFolders[name]
  // The package's own file.
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as AppManifest
  const locales = appLocales(name, own.locales)
  return [{ folder, manifest: { ...inNamespace(manifest, namespace), slug }, locales }]
}

const DEFAULT_PREFIX = 'io.svc.'

/** Manifests of ours name their types by the default prefix (D20). */
export function inNamespace(manifest: AppManifest, namespace: string): AppManifest {
  const permissions = Object.entries(manifest.permissions).map(([title, rule]) => {
    const isOurs = rule.type.startsWith(DEFAULT_PREFIX)
    const type = isOurs ? `${namespace}.${rule.type.slice(DEFAULT_PREFIX.length)}` : rule.type
    return [title, { ...rule, type }] as const
  })
  return { ...manifest, permissions: Object.fromEntries(permissions) }
}
