import { readFileSync } from 'node:fs'
import { type DeprecatedApp } from '@svc/oauth-core'
import { compiledSchema } from '@svc/platform'
import { ConfigError } from './config.ts'

const TEXT = { type: 'string', minLength: 1, maxLength: 1024 } as const
const APPS = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['softwareId', 'name', 'storeUrls'],
    properties: {
      softwareId: TEXT,
      name: TEXT,
      storeUrls: {
        type: 'object',
        additionalProperties: false,
        required: ['other'],
        properties: { android: TEXT, iphone: TEXT, other: TEXT },
      },
    },
  },
} as const

/**
 * Apps that owners can no longer connect. What a page may link to is checked by `createOAuth`.
 * @param path of a JSON file; undefined: there are none
 * @throws ConfigError when it cannot be read, or holds something else
 * @see oauth.md 5.6
 */
export function readDeprecatedApps(path: string | undefined): readonly DeprecatedApp[] {
  if (path === undefined) return []
  const apps = parse(path)
  const isValid = compiledSchema<readonly DeprecatedApp[]>(APPS, {
    allErrors: true,
  })
  if (isValid(apps)) return apps
  const errors = isValid.errors ?? []
  throw new ConfigError(errors.map((error) => fault(`${error.instancePath} ${error.message}`)))
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ConfigError([fault(error instanceof SyntaxError ? 'is no JSON' : 'cannot be read')])
  }
}

function fault(text: string): string {
  return `SVC_DEPRECATED_APPS_FILE: the file ${text.trim()}`
}
