import { type ConsentView, type Permission, serializeScope } from '@svc/oauth-core'
import { type Isolated, isolated, type Messages } from '../messages.ts'
import { initialsOf } from '../views.ts'
import { accessOf, GROUPS, groupOf, kindKey, limitOf, type Words } from './permission-words.ts'
import { redirectTarget, webAddress, workingLink } from './redirect-target.ts'

/** What the template of the consent page is given. Texts are catalogue keys with values, or words already. */
export interface ConsentModel {
  readonly app: {
    readonly name: Isolated
    readonly initials: string
    /** 1 to 6: the same name has the same colour. */
    readonly colour: number
    readonly isLinked: boolean
    /** Host the app says it comes from. */
    readonly host?: Isolated
  }
  readonly groups: readonly PermissionGroup[]
  readonly target: {
    readonly key: string
    readonly values: Record<string, Isolated>
    readonly isWarning: boolean
  }
  readonly raw: {
    readonly rules: readonly string[]
    readonly redirectUri: string
    readonly software: string
    readonly clientId: string
  }
  readonly policyUrl?: string
  readonly cancelUrl: string
}

interface PermissionGroup {
  readonly labelKey: string
  readonly items: readonly PermissionItem[]
}

interface PermissionItem {
  readonly kind: Words
  readonly access: ReturnType<typeof accessOf>
  readonly limit?: Words
  readonly noteKey?: string
  /** The app's own words about why. */
  readonly description?: string
}

const COLOURS = 6

/** Words for everything the owner decides about. @see oauth.md 5.2, decision D60 */
export function consentModel(
  view: ConsentView,
  namespace: string,
  messages: Messages,
): ConsentModel {
  const { client, linkedApp, permissions } = view
  const { metadata } = client
  const name = linkedApp?.name ?? metadata.client_name
  const host = webAddress(metadata.client_uri)?.host
  const policyUrl = webAddress(metadata.policy_uri)?.href
  return {
    app: {
      name: isolated(name),
      initials: initialsOf(name, 2),
      colour: colourOf(name),
      isLinked: linkedApp !== undefined,
      ...(host === undefined || linkedApp !== undefined ? {} : { host: isolated(host) }),
    },
    groups: groupsOf(permissions, namespace, messages),
    target: redirectTarget(view.redirectUri),
    raw: {
      rules: permissions.map((permission) => serializeScope([permission])),
      redirectUri: view.redirectUri,
      software: [metadata.software_id, metadata.software_version].filter(Boolean).join(' '),
      clientId: client.id,
    },
    ...(policyUrl === undefined ? {} : { policyUrl }),
    cancelUrl: workingLink(view.cancelUrl) ?? '/',
  }
}

function groupsOf(
  permissions: readonly Permission[],
  namespace: string,
  messages: Messages,
): readonly PermissionGroup[] {
  return GROUPS.map((group) => ({
    labelKey: `group.${group}`,
    items: permissions
      .filter((permission) => groupOf(permission.type, namespace) === group)
      .map((permission) => itemOf(permission, namespace, messages)),
  })).filter((group) => group.items.length > 0)
}

function itemOf(permission: Permission, namespace: string, messages: Messages): PermissionItem {
  const key = kindKey(permission.type, namespace, messages)
  const limit = limitOf(permission)
  const isWildcard = permission.type.endsWith('.*')
  const noteKey = isWildcard
    ? 'consent.wildcard'
    : key === undefined
      ? 'consent.unknown'
      : undefined
  return {
    kind: key === undefined ? ['doctype.unknown', { type: isolated(permission.type) }] : [key, {}],
    access: accessOf(permission.verbs),
    ...(limit === undefined ? {} : { limit }),
    ...(noteKey === undefined ? {} : { noteKey }),
    ...(permission.description === undefined ? {} : { description: permission.description }),
  }
}

function colourOf(name: string): number {
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 997
  return (sum % COLOURS) + 1
}
