import type { OAuthOptions } from '@svc/oauth-core'
import type { ConfigGroup } from './entry.ts'

/** What the configuration says of assistants. @see assistants.md 7.1 */
export interface AssistantValues {
  readonly enabled: Switch
  readonly write: Switch
  /** Doctypes separated by commas. */
  readonly kinds?: string
  /** `any`, or hosts separated by commas. */
  readonly clientHosts: string
  readonly clientHostsDenied?: string
  readonly registration: Switch
  readonly requireState: Switch
  readonly maxDuration: '1d' | '1h' | '30d'
}

type Switch = 'off' | 'on'

const HOST = '(?:\\*\\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?'
const HOSTS = `${HOST}(?:,${HOST})*`
const KIND = '[a-z][a-z0-9_]*(?:\\.[a-z0-9_]+)+'

export const ASSISTANT_ENTRIES: ConfigGroup = {
  enabled: {
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    env: 'SVC_ASSISTANTS',
    description:
      'Whether assistants may connect with nothing but the address; `off` ends those that are connected at the next start.',
  },
  write: {
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    description:
      'Whether owners may let assistants change data; `off` hides the tools for it and refuses what they need.',
  },
  kinds: {
    type: 'string',
    pattern: `^${KIND}(?:,${KIND})*$`,
    defaultText: 'the kinds of data that this host has words for',
    description: 'Kinds of data that assistants are offered, separated by commas; at most 32.',
  },
  clientHosts: {
    type: 'string',
    pattern: `^(?:any|${HOSTS})$`,
    default: 'any',
    description:
      'Hosts whose assistants may connect by the address of their description: `any`, or `host` and `*.host`, separated by commas.',
  },
  clientHostsDenied: {
    type: 'string',
    pattern: `^${HOSTS}$`,
    defaultText: 'none',
    description: 'Hosts whose assistants may not, whatever else allows them.',
  },
  registration: {
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    description: 'Whether assistants without an address of their own may register.',
  },
  requireState: {
    type: 'string',
    enum: ['on', 'off'],
    default: 'off',
    description: 'Refuse authorizations of assistants without `state`.',
  },
  maxDuration: {
    type: 'string',
    enum: ['1h', '1d', '30d'],
    default: '30d',
    description: 'The longest time that owners may choose for an assistant.',
  },
  tokenLife: {
    type: 'duration',
    defaultText: '`1h`',
    description: 'Access tokens of assistants, 5 min to 24 h.',
  },
}

/** What `createOAuth` takes of it. */
export function assistantOptions(values: AssistantValues): NonNullable<OAuthOptions['assistants']> {
  const { registration, requireState, clientHosts, clientHostsDenied, maxDuration } = values
  return {
    registration: registration === 'on',
    requireState: requireState === 'on',
    maxDuration,
    ...(clientHosts !== 'any' && { clientHosts: clientHosts.split(',') }),
    ...(clientHostsDenied !== undefined && { clientHostsDenied: clientHostsDenied.split(',') }),
  }
}

/** What `/mcp` of this host takes of it. */
export function assistantSwitches({ enabled, write, kinds }: AssistantValues): {
  readonly isOn: boolean
  readonly writes: boolean
  readonly kinds?: readonly string[]
} {
  return {
    isOn: enabled === 'on',
    writes: write === 'on',
    ...(kinds !== undefined && { kinds: kinds.split(',') }),
  }
}

/** Kinds of this host that want a confirmation: no assistant gets them. @see assistants.md 4.8 */
export function reservedKinds(namespace: string): readonly string[] {
  return [`${namespace}.safe.secrets`]
}
