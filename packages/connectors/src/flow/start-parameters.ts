import type { AppRegistry } from '@svc/oauth-core'
import { type Instance, isSlug, type Parameters } from '@svc/platform'
import type { AccountType } from '../account-types/account-type.ts'
import { ConnectorError } from '../connector-error.ts'
import type { ConnectorsServices } from '../services.ts'

/** What an app asks at `start` and `reconnect`. */
export interface StartParameters {
  /** Given back to the app; may be empty. */
  readonly clientState: string
  /** May be empty. */
  readonly nonce: string
  /** The app to come back to. */
  readonly slug: string
  readonly scopes: readonly string[]
}

/** What reading them needs. */
export interface StartParametersServices extends Pick<ConnectorsServices, 'manifests'> {
  readonly oauth: { readonly apps: Pick<AppRegistry, 'installed'> }
  readonly options: Pick<ConnectorsServices['options'], 'enforceManifestScope' | 'homeSlug'>
}

/** Bytes. @see connectors.md 4.1 */
const MAX_STATE = 1024
const MAX_NONCE = 1024
/** Characters: escaped, it still fits into an address of 8 KiB. */
const MAX_SCOPE = 2048
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u
/** RFC 6749 section 3.3. */
const SCOPE_TOKEN = /^[\u0021\u0023-\u005b\u005d-\u007e]+$/u

/** @throws ConnectorError `invalid_request`, `invalid_slug`, `invalid_scope` */
export async function readStartParameters(
  services: StartParametersServices,
  instance: Instance,
  type: AccountType,
  query: Parameters,
): Promise<StartParameters> {
  const clientState = readText(query, 'state', MAX_STATE)
  const nonce = readText(query, 'nonce', MAX_NONCE)
  const slug = await readSlug(services, instance, query.get('slug'))
  const scopes = await readScopes(services, instance, type, query.get('scope'))
  return { clientState, nonce, slug, scopes }
}

function readText(query: Parameters, name: string, maxBytes: number): string {
  const text = query.text(name)
  if (Buffer.byteLength(text) > maxBytes || CONTROL.test(text)) throw invalid(name)
  return text
}

async function readSlug(
  { oauth, options }: StartParametersServices,
  instance: Instance,
  slug: string | undefined,
): Promise<string> {
  if (slug === undefined || slug === '') return options.homeSlug
  if (!isSlug(slug) || (await oauth.apps.installed(instance, slug)) === undefined) {
    throw new ConnectorError('invalid_slug', { description: 'slug is not an installed app' })
  }
  return slug
}

async function readScopes(
  { manifests, options }: StartParametersServices,
  instance: Instance,
  type: AccountType,
  asked: string | undefined,
): Promise<readonly string[]> {
  const scopes = asked === undefined ? undefined : splitScope(asked)
  if ((asked?.length ?? 0) > MAX_SCOPE || scopes?.every((one) => SCOPE_TOKEN.test(one)) === false)
    throw invalid('scope')
  if (scopes !== undefined && !options.enforceManifestScope) return scopes
  const manifest = await manifests?.manifestOf(instance, type.slug ?? type.name)
  const known = manifestScopes(manifest?.oauth?.scope)
  if (scopes === undefined) return known
  if (isSubset(scopes, known)) return scopes
  throw new ConnectorError('invalid_scope', {
    description: 'scope is more than the manifest names',
  })
}

function invalid(name: string): ConnectorError {
  return new ConnectorError('invalid_request', { description: `${name} is malformed or too long` })
}

/** Scopes of a text: clients join them with white space or a literal `+`. Each once, in order. @see connectors.md 4.1 */
export function splitScope(text: string): readonly string[] {
  return [...new Set(text.split(/[\s+]+/u).filter((scope) => scope !== ''))]
}

/** Scopes of a manifest: each entry is a space-separated list. @see connectors.md 12 */
export function manifestScopes(entries: readonly string[] | undefined): readonly string[] {
  return splitScope((entries ?? []).join(' '))
}

/** Whether every text is one of the others. */
export function isSubset(texts: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others)
  return texts.every((text) => known.has(text))
}
