import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AppFolder, KIT_PATH } from '@svc/auth-ui'
import { type AppManifest, manifestPermissions } from '@svc/oauth-core'
import { isSlug } from '@svc/platform'
import { schemaFaults } from '../config/surely-fits.ts'

const TEXT = { type: 'string', minLength: 1, maxLength: 200 } as const
/** A path inside the app's folder: no way up, no absolute path. */
const INNER_PATH = {
  type: 'string',
  maxLength: 200,
  pattern: '^(?!/)(?!.*(^|/)\\.)[A-Za-z0-9_./-]*$',
} as const

/** Not compiled with Ajv's own schema at each start: a test says that it is a valid one. */
export const MANIFEST_SCHEMA: object = {
  type: 'object',
  required: ['slug', 'name', 'permissions', 'routes'],
  properties: {
    slug: TEXT,
    name: { ...TEXT, maxLength: 100 },
    version: { ...TEXT, maxLength: 50 },
    icon: INNER_PATH,
    permissions: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['type'],
        properties: {
          type: TEXT,
          verbs: { type: 'array', items: TEXT },
          values: { type: 'array', items: TEXT },
          selector: TEXT,
          description: { ...TEXT, maxLength: 500 },
        },
      },
    },
    routes: {
      type: 'object',
      minProperties: 1,
      // The kit's path is the same on the host of every app.
      propertyNames: { pattern: `^(?!${KIT_PATH}(?:/|$))/[A-Za-z0-9_/-]*$` },
      additionalProperties: {
        type: 'object',
        required: ['folder', 'index', 'public'],
        properties: {
          folder: { ...INNER_PATH, pattern: '^/?(?!.*(^|/)\\.)[A-Za-z0-9_./-]*$' },
          index: { ...INNER_PATH, minLength: 1 },
          public: { type: 'boolean' },
        },
      },
    },
    notifications: { type: 'object' },
  },
}

/** The manifest of an app's folder cannot be used. */
export class ManifestError extends Error {
  override readonly name: string = 'ManifestError'
  readonly code: string = 'bad_manifest'
  readonly status: number = 400
  readonly expose: boolean = true
}

/**
 * Reads `<folder>/manifest.json`.
 * @throws ManifestError with every fault
 */
export function readAppPackage(folder: string): AppFolder {
  let manifest: unknown
  try {
    manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  } catch {
    throw new ManifestError('the folder has no readable manifest.json')
  }
  checkShape(manifest)
  if (!isSlug(manifest.slug)) throw new ManifestError('manifest.json: /slug is malformed')
  try {
    manifestPermissions(manifest.permissions)
  } catch (error) {
    throw new ManifestError(`manifest.json: ${(error as Error).message}`)
  }
  return { manifest, folder }
}

function checkShape(manifest: unknown): asserts manifest is AppManifest {
  const faults = schemaFaults(MANIFEST_SCHEMA, manifest).map(
    ({ instancePath, message }) => `${instancePath} ${message ?? 'is malformed'}`,
  )
  if (faults.length > 0) throw new ManifestError(`manifest.json: ${faults.join('; ')}`)
}
