import { ASSISTANT_ENTRIES } from './assistants.ts'
import type { ConfigGroup } from './entry.ts'
import { CONNECTORS_ENTRIES, PROVIDER_ENTRIES } from './connectors.ts'
import { FLAGSHIP_ENTRIES } from './flagship.ts'
import { LIFETIME_ENTRIES } from './lifetimes.ts'
import { LIMIT_ENTRIES } from './limits.ts'
import { NOTIFICATION_ENTRIES } from './notifications.ts'

const PORT = { type: 'integer', minimum: 0, maximum: 65_535 } as const
const HOST = '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$'

/**
 * Everything the host can be told, by group. Nested objects are groups of the JSON file.
 * @see architecture.md 5; decisions D20, D52, D53
 */
export const CONFIG_ENTRIES: ConfigGroup = {
  port: {
    ...PORT,
    default: 8080,
    description: 'Port of the public listener; 0 lets the system choose.',
  },
  host: {
    type: 'string',
    defaultText: '`127.0.0.1`; every address when a TLS certificate is set',
    description: 'Address the public listener binds to.',
  },
  adminPort: {
    ...PORT,
    default: 6060,
    description: 'Port of the admin listener, always on 127.0.0.1; 0 lets the system choose.',
  },
  adminUrl: {
    type: 'string',
    pattern: '^https?://',
    defaultText: 'the admin listener of this machine',
    description: 'Where the command line finds the admin listener.',
  },
  adminToken: {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{32,256}$',
    isSecret: true,
    defaultText: 'made at the first start, kept in `admin-token` of the data directory',
    description: 'Bearer token of the admin listener, 32 characters or more.',
  },
  internalPort: {
    ...PORT,
    defaultText: 'off',
    description:
      'Port of the internal listener: `/metrics`, `/health/*` and `/tls/ask`, for monitoring and proxies; 0 lets the system choose.',
  },
  internalHost: {
    type: 'string',
    default: '127.0.0.1',
    description: 'Address the internal listener binds to.',
  },
  metricsToken: {
    type: 'string',
    pattern: '^[\\x21-\\x7e]{32,256}$',
    isSecret: true,
    defaultText: 'none; needed when `SVC_INTERNAL_HOST` is not loopback',
    description: 'Bearer token of `/metrics` on the internal listener, 32 characters or more.',
  },
  dataDir: {
    type: 'string',
    default: 'data',
    description: 'Directory of the embedded store, the sealing keys and the admin token.',
  },
  store: {
    type: 'string',
    default: 'sqlite',
    pattern: '^(sqlite|rediss?(\\+sentinel|\\+cluster)?://\\S.*)$',
    isSecret: true,
    description:
      '`sqlite`, or a `redis://` or `rediss://` URL (several, separated by commas: Redis Cluster), or `redis+sentinel://host1,host2/<master>`.',
  },
  storeReplicas: {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    default: 0,
    description:
      'With Redis: how many replicas must have a write before it counts; set `min-replicas-to-write` of Redis as well.',
  },
  keys: {
    type: 'string',
    isSecret: true,
    defaultText:
      'with the embedded store, made at the first start and kept in `keys` of the data directory',
    description:
      'Sealing keys, `kid:base64` of 32 random bytes each, separated by commas; the first one seals, all open.',
  },
  keysFile: {
    type: 'string',
    description: 'File with the sealing keys, one a line. Not together with `SVC_KEYS`.',
  },
  trustProxy: {
    type: 'integer',
    minimum: 0,
    maximum: 10,
    default: 0,
    description:
      'How many reverse proxies stand in front: the client address is that many entries from the right of `X-Forwarded-For`, and addresses are https.',
  },
  drain: {
    type: 'duration',
    defaultText: '`5s` with Redis, `0s` with the embedded store',
    description:
      'How long new connections are still taken once the process was told to stop, so that the proxy in front finds out. Longer than the proxy keeps idle connections, at most 7s.',
  },
  tls: {
    cert: {
      type: 'string',
      description:
        'Certificate chain, PEM file. With it the public listener speaks TLS. Both files are read again when they change, and on SIGHUP; open connections stay.',
    },
    key: { type: 'string', description: 'Private key of the certificate, PEM file.' },
  },
  namespace: {
    type: 'string',
    pattern: '^[a-z][a-z0-9]*(\\.[a-z][a-z0-9]*)*$',
    default: 'io.svc',
    description: 'Prefix of doctypes.',
  },
  subdomains: {
    type: 'string',
    enum: ['nested', 'flat'],
    default: 'nested',
    description: 'Hosts of apps: `<slug>.<domain>`, or `<first label>-<slug>.<rest>`.',
  },
  confirmHosts: {
    type: 'string',
    pattern: `${HOST.slice(0, -1)}(,${HOST.slice(1, -1)})*$`,
    defaultText: 'none',
    description:
      'Hosts outside the instance that a confirmation may lead back to, over https: `host` or `host:port`, separated by commas.',
  },
  demo: {
    type: 'boolean',
    defaultText: '`on`; `off` when `NODE_ENV` is `production`',
    description: 'Whether a demo instance is created at the first start.',
  },
  demoApps: {
    type: 'boolean',
    defaultText: '`on`; `off` when `NODE_ENV` is `production`',
    description:
      'Whether owners have the demo: the apps `home`, `safe` and `drive`, documents at `/data/`, links and sharings. Without it they land on the home of the package, and have the apps that you install.',
  },
  demoDomain: {
    type: 'string',
    pattern: HOST,
    defaultText: '`alice.localhost:<port>`; with flat subdomains `alice.svc.localhost:<port>`',
    description: 'Domain of the demo instance.',
  },
  devPages: {
    type: 'string',
    enum: ['off'],
    defaultText:
      'shown while this is not production, only this machine reaches the server, without TLS or a proxy, and every instance is `localhost` or below it',
    description:
      'Switches `/dev/mails`, `/dev/outbox` and the list of instances at `http://localhost` off.',
  },
  smtpUrl: {
    type: 'string',
    pattern: '^smtps?://\\S+$',
    isSecret: true,
    defaultText: 'mails are kept in the development mailbox',
    description:
      'SMTP server: `smtps://user:password@host:465` (TLS), `smtp://…:587` (STARTTLS, mandatory unless `?tls=off`).',
  },
  mail: {
    from: {
      type: 'string',
      defaultText: '`noreply@<domain>`',
      description: 'Sender address of mails.',
    },
    fromName: { type: 'string', defaultText: 'the domain', description: 'Sender name of mails.' },
    replyTo: { type: 'string', description: 'Reply-To address of mails.' },
    ehlo: {
      type: 'string',
      pattern: '^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?|\\[[A-Za-z0-9:.]{1,60}\\])$',
      defaultText: "the domain of the sender's address",
      description:
        'Name that the SMTP server is greeted with: a host name, or an address in brackets.',
    },
    dkimDomain: {
      type: 'string',
      defaultText: 'the next server signs',
      description: 'Domain that mails are signed for (DKIM).',
    },
    dkimSelector: {
      type: 'string',
      description: 'Name of the key: its public half is at `<selector>._domainkey.<domain>`.',
    },
    dkimKeyFile: {
      type: 'string',
      description: 'PEM file of the RSA key that mails are signed with.',
    },
  },
  log: {
    level: {
      type: 'string',
      enum: ['silent', 'error', 'warn', 'info', 'debug'],
      default: 'info',
      description:
        'What is logged, one JSON object a line on standard error; `debug` adds every request.',
    },
  },
  consentChoose: {
    type: 'boolean',
    default: true,
    description:
      'Let owners leave out single permissions and choose for how long when a client asks for access.',
  },
  deprecatedAppsFile: {
    type: 'string',
    defaultText: 'none',
    description:
      'JSON file with the apps that owners can no longer connect: a list of `{ softwareId, name, storeUrls: { android, iphone, other } }`.',
  },
  raiseLimitUrl: {
    type: 'string',
    pattern: '^https?://\\S+$',
    defaultText: 'none',
    description: 'Where an owner who connected too many clients can have the limit raised.',
  },
  requirePkce: {
    type: 'boolean',
    default: false,
    description: 'Refuse authorizations without a PKCE challenge.',
  },
  revokeOauthOnReset: {
    type: 'string',
    enum: ['none', 'flagship', 'all'],
    default: 'flagship',
    description:
      'Whose tokens end when a passphrase is reset by mail or by the operator: `none`, those of the flagship app, or those of every client.',
  },
  assistants: ASSISTANT_ENTRIES,
  ...PROVIDER_ENTRIES,
  connectors: CONNECTORS_ENTRIES,
  notifications: NOTIFICATION_ENTRIES,
  flagship: FLAGSHIP_ENTRIES,
  limits: LIMIT_ENTRIES,
  lifetimes: LIFETIME_ENTRIES,
}
