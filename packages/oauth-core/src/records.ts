import { hash } from 'node:crypto'
import { type InstanceId, type RecordKind, valueSchemas } from '@svc/platform'
import { ASSISTANT_RECORDS } from './assistants/records.ts'
import { ASSISTANT_CHOICE_RECORDS } from './authorize/assistant-choice.ts'
import { type ClientRecord, ownsName, secretContext } from './clients/client-record.ts'
import { DOCUMENT_RECORDS, DOCUMENT_SNAPSHOT } from './client-documents/records.ts'

const { any, boolean, count, digest, instant, list, members, object, oneOf, text } = valueSchemas

const SHORT = { no: 'It is short-lived.' } as const
const COUNTER = { no: 'It is a counter.' } as const

/** What is kept of clients and of what they may do. */
export const OAUTH_RECORDS: readonly RecordKind[] = [
  {
    kind: 'client',
    version: 1,
    schema: members(
      {
        metadata: members(
          { redirect_uris: list(text), client_name: text, software_id: text },
          {
            token_endpoint_auth_method: oneOf('client_secret_basic', 'client_secret_post', 'none'),
            software_version: text,
            client_kind: text,
            client_uri: text,
            logo_uri: text,
            policy_uri: text,
            notification_platform: text,
            notification_device_token: text,
            notifications: object,
          },
        ),
        secret: text,
        pending: boolean,
        flagship: boolean,
        certifiedFromStore: boolean,
        createdAt: instant,
        updatedAt: instant,
      },
      {
        document: DOCUMENT_SNAPSHOT,
        formerName: text,
        unnamed: members({}, { redirectUri: text }),
        os: text,
        deviceTokenAt: instant,
        webPushKey: text,
        keepUntil: instant,
        isSeen: boolean,
        isIdle: boolean,
      },
    ),
    tags: 'instance',
    places: { by: 'index', index: 'clients' },
    sealed: [
      {
        path: ['secret'],
        context: ({ tag, id }) => ({ context: secretContext(tag as InstanceId, id) }),
      },
    ],
    life: 'until removed, by its client, the owner or the clean-up; one hour while pending; of a client without a secret a day while pending, then 400 days after its last code or token',
    export: 'yes',
    content:
      'metadata as registered, secret, `pending`, `flagship`, `certifiedFromStore`, operating system, when it gave its device token last, digest of the key that its subscription to web pushes was made with; of a client that a document describes: its address, SHA-256 of the document, when it was read and tried last, keys; the name that it was allowed by, if it has another one by now; of a client without a secret when it goes, whether its owner saw its consent page, whether it has access, and whether it has no name, with the redirect URI that it was last allowed with',
  },
  {
    kind: 'client-name',
    version: 1,
    schema: members({ name: text }, { clientId: text }),
    tags: 'instance',
    places: {
      by: 'ids-of',
      parent: 'client',
      ids: ({ value }) => nameKeys(value as ClientRecord), // As above.
    },
    life: 'with its client; a claim lives 60 s',
    export: 'yes',
    content: 'SHA-256 of a name: which client has it',
  },
  {
    kind: 'client-seen',
    version: 1,
    schema: members({ at: instant }, { from: text }),
    tags: 'instance',
    places: { by: 'ids-of', parent: 'client', ids: ({ id }) => [id] },
    life: 'with its client',
    export: 'yes',
    content:
      'when a client last used or got a token, and its address (IPv6 as its /64); written at most once a minute and process',
  },
  {
    kind: 'client-use',
    version: 1,
    schema: members({ at: instant }, { from: text }),
    tags: 'instance',
    places: { by: 'ids-of', parent: 'client', ids: ({ id }) => [id] },
    life: 'with its client',
    export: 'yes',
    content: 'when a client last got a token; written at most once a minute and process',
  },
  {
    kind: 'client-limit',
    version: 1,
    schema: members({}),
    tags: 'instance',
    places: { by: 'ids', ids: ['connected'] },
    life: 'with the instance',
    export: 'yes',
    content:
      'nothing: whoever connects a client changes it, so that of N at the limit none is one too many',
  },
  {
    kind: 'challenge',
    version: 1,
    schema: members({ createdAt: instant }),
    tags: 'instance',
    places: { by: 'index-of', parent: 'client', index: ({ id }) => `challenges:${id}` },
    life: '1 h, the latest ten of a client; used once',
    export: SHORT,
    content: 'SHA-256 of client and nonce: when it was made',
  },
  {
    kind: 'flagship-code',
    version: 1,
    schema: members({ salt: text, createdAt: instant, isOpen: boolean }),
    tags: 'instance',
    places: { by: 'ids-of', parent: 'client', ids: ({ id }) => [id] },
    life: '5 min, one a client; used once, or ended by five wrong ones or another code',
    export: SHORT,
    content:
      'of a client: salt, when, whether it is still open; not the code, which follows from them and the session key',
  },
  {
    kind: 'flagship-tries',
    version: 1,
    schema: any,
    tags: 'instance',
    places: { by: 'nobody' },
    isCounter: true,
    life: 'its window',
    export: COUNTER,
    content: 'SHA-256 of a code’s token: how often it was tried',
  },
  {
    kind: 'grant',
    version: 1,
    schema: members(
      {
        id: text,
        clientId: text,
        scope: text,
        createdAt: instant,
        code: members(
          { hash: digest, redirectUri: text, expiresAt: instant },
          { challenge: text, consumedAt: instant },
        ),
      },
      {
        endsAt: instant,
        isKeyless: boolean,
        toldEnd: instant,
        refreshToken: digest,
        resource: text,
        rotation: members({
          generation: count,
          retired: list(
            members({ generation: count, hash: digest, kid: text }, { until: instant }),
            8,
          ),
        }),
      },
    ),
    tags: 'instance',
    places: { by: 'index-of', parent: 'client', index: ({ id }) => `grants:${id}` },
    life: 'with its code (5 min) until that is exchanged, then 400 days without a refresh and the last access token’s day, or the chosen end when that comes first; at most 20 a client; ended by revocation and by a replay of its code, which is exchanged once',
    export: 'yes',
    content:
      'SHA-256 of its id: client, scope, when, when it ends (a time the owner chose, or none), the end that the owner was told of; of its code: SHA-256, redirect URI, challenge, end, when it was used; SHA-256 of its refresh token; of a grant with a resource: its path; of a client that a document describes: whether its code was exchanged without a key; of a client without a secret: how often the refresh token changed, and of at most 8 earlier ones SHA-256, the key that made what follows, and until when it is good',
  },
  {
    kind: 'access-change',
    version: 1,
    schema: members({ mark: text }),
    tags: 'instance',
    places: { by: 'nobody' },
    life: '1 h, as long as a consent page from before can be answered',
    export: SHORT,
    content: 'of a client: a mark of the last time that its access was changed or ended',
  },
  {
    kind: 'registration-token',
    version: 1,
    schema: members({ clientId: text }),
    tags: 'instance',
    places: { by: 'index-of', parent: 'client', index: ({ id }) => `registration-tokens:${id}` },
    life: 'with its client',
    export: 'yes',
    content: 'SHA-256 of the token: its client',
  },
  ...DOCUMENT_RECORDS,
  ...ASSISTANT_RECORDS,
  ...ASSISTANT_CHOICE_RECORDS,
]

function nameKeys(client: ClientRecord): readonly string[] {
  if (!ownsName(client)) return []
  return [hash('sha256', client.metadata.client_name, 'base64url')]
}
