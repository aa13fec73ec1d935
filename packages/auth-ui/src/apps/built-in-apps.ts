import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppManifest } from '@svc/oauth-core'
import type { Context, Next } from 'koa'
import { appFolders } from '../app-folders.ts'
import type { AuthUiServices } from '../services.ts'
import type { AppFolder } from './app-files.ts'
import { visitApp } from './app-pages.ts'
import type { BuiltInApp } from './built-in-option.ts'
import { serveAppFolder } from './serve-app.ts'

/** Serves built-in apps on their hosts; everything else goes on. */
export type ServeBuiltInApps = (ctx: Context, next: Next) => Promise<void>

/**
 * Gives every instance the built-in apps, below the apps of the host: where that has one of the same slug, it serves it
 * itself.
 * @see owner.md 8.1, 8.2
 */
export function useBuiltInApps(services: AuthUiServices): ServeBuiltInApps {
  const bySlug = new Map<string, AppFolder>()
  for (const app of listBuiltInApps(services)) {
    services.oauth.useBuiltInApp(app.manifest)
    bySlug.set(app.manifest.slug, app)
  }
  return async function serveBuiltInApps(ctx, next) {
    const { instance: of, appSlug = '' } = ctx.state as Partial<Context['state']>
    const app = of === undefined ? undefined : bySlug.get(appSlug)
    if (app === undefined) return next()
    if ((await services.apps.installed(of, appSlug)) !== app.manifest) return next()
    await serveAppFolder(ctx, { visit: (...visit) => visitApp(services, ...visit) }, app)
  }
}

function listBuiltInApps({ options, namespace }: AuthUiServices): readonly AppFolder[] {
  const { homeSlug, settingsSlug } = options
  const { settings = true, home = options.home === undefined } = options.builtInApps
  return [
    ...appOf(settings, appFolders.settings, settingsSlug, namespace),
    // Where owners begin in the settings there is nothing beside them.
    ...(homeSlug === settingsSlug ? [] : appOf(home, appFolders.home, homeSlug, namespace)),
  ]
}

function appOf(
  chosen: BuiltInApp,
  ownFolder: string,
  slug: string,
  namespace: string,
): readonly AppFolder[] {
  if (chosen === false) return []
  if (chosen !== true) return [{ ...chosen, manifest: { ...chosen.manifest, slug } }]
  // The package's own file.
  const manifest = JSON.parse(readFileSync(join(ownFolder, 'manifest.json'), 'utf8')) as AppManifest
  return [{ folder: ownFolder, manifest: { ...inNamespace(manifest, namespace), slug } }]
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
