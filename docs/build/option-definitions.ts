import { ACTIVITY_OPTIONS } from '../../packages/activity/src/options.ts'
import { AUTH_UI_OPTIONS } from '../../packages/auth-ui/src/options.ts'
import {
  ACCOUNT_TYPE_STORE_OPTIONS,
  ACCOUNT_TYPES_FILE_OPTIONS,
  ENTRY_READER_OPTIONS,
} from '../../packages/connectors/src/account-types/account-type-options.ts'
import { CONNECTORS_OPTIONS } from '../../packages/connectors/src/options.ts'
import { MCP_OPTIONS } from '../../packages/mcp/src/options.ts'
import { SMTP_OPTIONS } from '../../packages/notify/src/mail/smtp-options.ts'
import { NOTIFY_OPTIONS } from '../../packages/notify/src/options.ts'
import { SYSTEM_MAILS_OPTIONS } from '../../packages/notify/src/mail/system-mailer.ts'
import { OAUTH_OPTIONS } from '../../packages/oauth-core/src/options.ts'
import { OUTBOUND_OPTIONS } from '../../packages/platform/src/index.ts'
import { SEALING_KEYS_OPTIONS } from '../../packages/platform/src/keys/keys-file.ts'
import type { OptionsDefinition } from '../../packages/platform/src/options.ts'
import { REALTIME_OPTIONS } from '../../packages/realtime/src/options.ts'
import { REDIS_OPTIONS } from '../../packages/store/src/redis/options.ts'
import { SQLITE_OPTIONS } from '../../packages/store/src/sqlite/options.ts'

/** The options of one function of a package. */
export interface DefinedFunction {
  /** Folder of the package. */
  readonly folder: string
  /** Where the function is imported from. */
  readonly module: string
  readonly name: string
  /** The interface that documents the options. */
  readonly type: string
  readonly definition: OptionsDefinition<unknown>
}

/** Every function of the packages that is told options, from the store upwards. */
export const DEFINED_FUNCTIONS: readonly DefinedFunction[] = [
  {
    folder: 'store',
    module: '@svc/store/sqlite',
    name: 'sqliteStore',
    type: 'SqliteStoreOptions',
    definition: SQLITE_OPTIONS,
  },
  {
    folder: 'store',
    module: '@svc/store/redis',
    name: 'redisStore',
    type: 'RedisStoreOptions',
    definition: REDIS_OPTIONS,
  },
  {
    folder: 'oauth-core',
    module: '@svc/oauth-core',
    name: 'createOAuth',
    type: 'OAuthOptions',
    definition: OAUTH_OPTIONS,
  },
  {
    folder: 'oauth-core',
    module: '@svc/oauth-core',
    name: 'createOutbound',
    type: 'OutboundOptions',
    definition: OUTBOUND_OPTIONS,
  },
  {
    folder: 'mcp',
    module: '@svc/mcp',
    name: 'createMcp',
    type: 'McpOptions',
    definition: MCP_OPTIONS,
  },
  {
    folder: 'activity',
    module: '@svc/activity',
    name: 'createActivity',
    type: 'ActivityOptions',
    definition: ACTIVITY_OPTIONS,
  },
  {
    folder: 'auth-ui',
    module: '@svc/auth-ui',
    name: 'createAuthUi',
    type: 'AuthUiOptions',
    definition: AUTH_UI_OPTIONS,
  },
  {
    folder: 'notify',
    module: '@svc/notify',
    name: 'createNotify',
    type: 'NotifyOptions',
    definition: NOTIFY_OPTIONS,
  },
  {
    folder: 'notify',
    module: '@svc/notify',
    name: 'createSystemMails',
    type: 'SystemMailsOptions',
    definition: SYSTEM_MAILS_OPTIONS,
  },
  {
    folder: 'notify',
    module: '@svc/notify',
    name: 'smtpTransport',
    type: 'SmtpOptions',
    definition: SMTP_OPTIONS,
  },
  {
    folder: 'platform',
    module: '@svc/oauth-core',
    name: 'sealingKeys',
    type: 'SealingKeysOptions',
    definition: SEALING_KEYS_OPTIONS,
  },
  {
    folder: 'connectors',
    module: '@svc/connectors',
    name: 'createConnectors',
    type: 'ConnectorsOptions',
    definition: CONNECTORS_OPTIONS,
  },
  {
    folder: 'connectors',
    module: '@svc/connectors',
    name: 'createAccountTypes',
    type: 'AccountTypeStoreOptions',
    definition: ACCOUNT_TYPE_STORE_OPTIONS,
  },
  {
    folder: 'connectors',
    module: '@svc/connectors',
    name: 'accountTypesFromFile',
    type: 'AccountTypesFileOptions',
    definition: ACCOUNT_TYPES_FILE_OPTIONS,
  },
  {
    folder: 'connectors',
    module: '@svc/connectors',
    name: 'createEntryReader',
    type: 'EntryReaderOptions',
    definition: ENTRY_READER_OPTIONS,
  },
  {
    folder: 'realtime',
    module: '@svc/realtime',
    name: 'createRealtime',
    type: 'RealtimeOptions',
    definition: REALTIME_OPTIONS,
  },
]
