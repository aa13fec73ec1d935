import { isAbsolute } from 'node:path'
import type { AppManifest } from '@svc/oauth-core'
import { either, flag, group, instance, object, type Option, text } from '@svc/platform/options'
import type { AppFolder } from './app-files.ts'

/** Whether the package's own app is there, or another one in its place. */
export type BuiltInApp = boolean | AppFolder

/** The apps that come with the package. */
export interface BuiltInAppsOption {
  /** Where owners land after a login. @defaultValue `true`; `false` where `home` names a page */
  readonly home?: BuiltInApp
  /** The settings app. @defaultValue `true` */
  readonly settings?: BuiltInApp
}

const APP: Option<AppFolder> = object({
  folder: text('an absolute path', isAbsolute),
  manifest: instance<AppManifest>('a manifest', isManifest),
})

/** The option of that name. */
export function builtInApps(): Option<BuiltInAppsOption, BuiltInAppsOption, false> {
  return group({
    home: either(flag(), APP).optional('`true`; `false` where `home` names a page'),
    settings: either(flag(), APP).or(true),
  })
}

function isManifest(value: unknown): boolean {
  const { slug, name, permissions, routes } = value as Partial<Record<keyof AppManifest, unknown>>
  return (
    [slug, name].every((each) => typeof each === 'string') &&
    [permissions, routes].every((each) => typeof each === 'object' && each !== null)
  )
}
