import { type OAuth, parseScope } from '@svc/oauth-core'
import type { Logger, RateLimit } from '@svc/platform'
import {
  defineOptions,
  flag,
  list,
  type OptionsDefinition,
  type OptionsFor,
  port,
  rateLimits,
  type Settled,
  text,
} from '@svc/platform/options'
import type { DataPort } from './data/data-port.ts'
import { DEFAULT_LIMITS, type McpBucket } from './limits.ts'

/** What `createMcp` needs. */
export interface McpOptions {
  /** What `createOAuth` made: instances, tokens, the store. */
  readonly oauth: OAuth
  /** The documents of the server: with them come the tools of `assistants.md` 6.3. @defaultValue none */
  readonly data?: DataPort
  /** Below the address of each instance. @defaultValue `/mcp` */
  readonly path?: string
  /** What the resource is called. @defaultValue `Assistants` */
  readonly name?: string
  /** Kinds of data that are offered for reading. @defaultValue those of `data` */
  readonly kinds?: readonly string[]
  /** Whether anything of `data` can be written. @defaultValue `true` */
  readonly writes?: boolean
  /** Whether clients without a secret may ask for it, as assistants do. @defaultValue `true` */
  readonly isOpen?: boolean
  /** Address of the operator's page about it. @defaultValue none */
  readonly documentation?: string
  /** Origins whose pages may call. @defaultValue any that is encrypted, or on the caller's own computer */
  readonly origins?: readonly string[]
  /** Where rules take the time from. @defaultValue that of `oauth` */
  readonly clock?: { now(): number }
  /** Takes lines for the operator. @defaultValue that of `oauth` */
  readonly log?: Logger
  /** Instead of single `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Readonly<Record<McpBucket, RateLimit>>>
}

/** Options with nothing left open but what may be absent. */
export interface ResolvedOptions
  extends Settled<Omit<McpOptions, 'origins'>, 'data' | 'documentation'> {
  readonly origins?: ReadonlySet<string>
  readonly limits: Readonly<Record<McpBucket, RateLimit>>
}

const MAX_KINDS = 32
const MAX_ORIGINS = 1000

export const MCP_OPTIONS: OptionsDefinition<ResolvedOptions> = defineOptions({
  oauth: port<OAuth>(['mount', 'resourceGuard', 'stepUp', 'clientAddress']),
  data: port<DataPort>(['list', 'get', 'create', 'wordsOf'], ['update', 'remove']).optional('none'),
  path: text('a path').or('/mcp'),
  name: text('a name').or('Assistants'),
  kinds: list(text('a doctype', isKind), MAX_KINDS).orFrom(
    ({ data }: McpOptions) => data?.kinds ?? [],
    'those of `data`',
  ),
  writes: flag().or(true),
  isOpen: flag().or(true),
  documentation: text('an address', URL.canParse).optional('none'),
  origins: list(text('an origin', isOrigin), MAX_ORIGINS)
    .as((origins): ReadonlySet<string> => new Set(origins))
    .optional('any that is encrypted, or on the caller’s own computer'),
  clock: port<{ now(): number }>(['now']).orFrom(
    ({ oauth }: McpOptions) => oauth.clock,
    'that of `oauth`',
  ),
  log: port<Logger>(['info', 'warn', 'error']).orFrom(
    ({ oauth }: McpOptions) => oauth.log,
    'that of `oauth`',
  ),
  limits: rateLimits(DEFAULT_LIMITS),
} satisfies OptionsFor<McpOptions>)

function isKind(value: string): boolean {
  const [rule, ...more] = parseScope(`${value}:GET`) ?? []
  return rule?.type === value && more.length === 0 && !value.includes('*')
}

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value
}
