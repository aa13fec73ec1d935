import { HOUR_MS } from '@svc/platform'
import type Koa from 'koa'
import { ago, CHECKUP, DEVICES, TRUSTED } from './device-samples.ts'
import { LONG_NAME, RTL_NAME } from './sample-models.ts'

type Answers = Readonly<Record<string, (ctx: Koa.Context) => void>>

/** Noon of the day before, of the zone that the browser shares: "yesterday" at whatever hour the tests run. */
function yesterday(): string {
  const noon = new Date()
  noon.setDate(noon.getDate() - 1)
  noon.setHours(12, 0, 0, 0)
  return noon.toISOString()
}

/** A resource of `GET /settings/clients`. */
export function sampleClient(id: string, name: string, more: object = {}): object {
  return {
    type: 'io.svc.oauth.clients',
    id,
    attributes: {
      client_name: name,
      client_kind: 'mobile',
      software_id: 'com.example.drive',
      software_version: '3.2.1',
      platform: 'Android',
      created_at: ago(24 * 40),
      last_used_at: yesterday(),
      permissions: [
        {
          scope: 'io.svc.files',
          text: 'Files and folders: read, add, change, delete',
          kind: 'Files and folders',
          verbs: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
        },
        {
          scope: 'io.svc.contacts:GET',
          text: 'Contacts: read only',
          kind: 'Contacts',
          verbs: ['GET'],
        },
      ],
      ...more,
    },
  }
}

const CLIENTS = [
  sampleClient('c1', 'Drive for Android'),
  sampleClient('c2', 'Notes', { client_kind: 'web', platform: undefined, last_used_at: ago(0.2) }),
  sampleClient('c3', LONG_NAME, {
    client_kind: 'desktop',
    platform: 'Linux',
    last_used_at: ago(24 * 100),
    expires_at: ago(-24 * 3),
  }),
  sampleClient('c4', RTL_NAME, {
    former_name: 'Weather',
    last_used_at: undefined,
    permissions: [],
  }),
]

/** Assistants: one that a document describes, and one that only says its name. */
const ASSISTANTS = [
  sampleAssistant('as1', 'Sage', 'sage.example'),
  sampleAssistant('as2', LONG_NAME, 'registered', {
    former_name: 'Helper',
    last_used_at: undefined,
    last_day: { calls: 0, documents: 0 },
  }),
]

function sampleAssistant(id: string, name: string, host: string, more: object = {}): object {
  return {
    type: 'io.svc.oauth.clients',
    id,
    attributes: {
      name,
      host,
      resources: ['https://alice.example.com/mcp'],
      permissions: [
        {
          scope: 'io.svc.contacts:GET',
          text: 'Contacts: read only',
          kind: 'Contacts',
          verbs: ['GET'],
          until: ago(-20),
        },
      ],
      created_at: ago(4),
      expires_at: ago(-20),
      last_used_at: ago(0.1),
      last_used_from: '203.0.113.7',
      last_day: { calls: 12, documents: 40 },
      ...more,
    },
  }
}

const DEEDS = [
  {
    type: 'io.svc.oauth.assistant-calls',
    id: 'd0',
    attributes: {
      time: ago(0.05),
      tool: 'delete',
      type: 'io.svc.contacts',
      kind: 'Contacts',
      documents: 1,
      bytes: 0,
      outcome: 'ok',
      writes: [{ id: 'io.svc.contacts/bob', revision: 'r3', before: 'r2' }],
      change: { id: 'v2', title: 'Bob Martin', is_deleted: true, is_back: false },
    },
  },
  {
    type: 'io.svc.oauth.assistant-calls',
    id: 'd1',
    attributes: {
      time: ago(0.1),
      tool: 'fetch',
      type: 'io.svc.contacts',
      kind: 'Contacts',
      documents: 1,
      bytes: 2400,
      outcome: 'ok',
    },
  },
  {
    type: 'io.svc.oauth.assistant-calls',
    id: 'd2',
    attributes: {
      time: ago(0.2),
      tool: 'update',
      type: 'io.svc.contacts',
      kind: 'Contacts',
      documents: 0,
      bytes: 120,
      outcome: 'permission_refused',
    },
  },
  {
    type: 'io.svc.oauth.assistant-days',
    id: '2026-01-10',
    attributes: {
      day: '2026-01-10',
      counts: [
        {
          type: 'io.svc.contacts',
          kind: 'Contacts',
          calls: 120,
          documents: 400,
          bytes: 90_000,
          refused: 2,
        },
      ],
    },
  },
]

/** What assistants changed: the last of them is back already. */
function sampleChanges(): readonly { id: string; attributes: { is_back: boolean } }[] {
  const change = (id: string, name: string, title: string, more: object = {}) => ({
    type: 'io.svc.oauth.assistant-changes',
    id,
    attributes: {
      assistant: { id: 'as1', name },
      time: ago(0.05),
      type: 'io.svc.contacts',
      kind: 'Contacts',
      title,
      is_deleted: false,
      is_back: false,
      ...more,
    },
  })
  return [
    change('v2', 'Sage', 'Bob Martin', { is_deleted: true }),
    change('v1', 'Sage', 'Shopping'),
    change('v0', RTL_NAME, LONG_NAME, { is_back: true }),
  ]
}

/** The same, while an owner has assistants. @param changed - whether there is what they changed */
export function assistantAnswers(changed = true): Answers {
  let left = [...ASSISTANTS] as { id: string }[]
  let allowed = true
  let isAsked = false
  const none = (ctx: Koa.Context): void => {
    left = []
    ctx.status = 204
  }
  return {
    ...settingsAnswers(),
    'GET /settings/assistants': gives(() => ({
      data: left,
      meta: { count: left.length, allowed, changed },
    })),
    'GET /settings/assistants/changes': gives(() => ({ data: sampleChanges(), links: {} })),
    'POST /settings/assistants/as1/activity/v2/put-back': (ctx) => {
      ctx.status = 204
    },
    'POST /settings/assistants/as1/activity/v1/put-back': (ctx) => {
      // Somebody else changed it since: the owner is asked, and says yes.
      ctx.status = isAsked ? 204 : 409
      if (!isAsked) ctx.body = { errors: [{ code: 'changed_since' }] }
      isAsked = true
    },
    'GET /settings/assistants/as1/activity': gives(() => ({ data: DEEDS, links: {} })),
    'DELETE /settings/assistants/as1': (ctx) => {
      left = left.filter(({ id }) => id !== 'as1')
      ctx.status = 204
    },
    'DELETE /settings/assistants': none,
    'PUT /settings/assistants/preferences': (ctx) => {
      allowed = !allowed
      none(ctx)
    },
  }
}

/** Every way to pass the second step, with names as owners choose them. */
const FACTORS = {
  type: 'io.svc.settings',
  id: 'io.svc.settings.factors',
  attributes: {
    auth_mode: 'two_factor_mail',
    mail: { enabled: true, enabled_at: ago(24 * 30), address: 'a…@mail.example' },
    totp: { created_at: ago(24 * 30), last_used: ago(20) },
    passkeys: [
      {
        id: 'k1',
        label: 'Laptop',
        created_at: ago(24 * 9),
        last_used: ago(2),
        first_way: true,
        trusted: true,
      },
      { id: 'k2', label: LONG_NAME, created_at: ago(24 * 8), first_way: false, trusted: true },
      { id: 'k3', label: RTL_NAME, created_at: ago(24 * 7), first_way: false, trusted: false },
    ],
    passkey_user: {
      rp_id: '127.0.0.1',
      id: 'dXNlcg',
      name: 'alice.example.com',
      display_name: 'Alice',
    },
    passkey_after_passphrase: false,
    recovery: { left: 2, created_at: ago(24 * 30) },
  },
}

const PASSPHRASE = {
  type: 'io.svc.settings',
  id: 'io.svc.settings.passphrase',
  attributes: { salt: 'me@alice.example.com', kdf: 0, iterations: 50_000, hint_defined: true },
}

const HEAD = {
  type: 'io.svc.settings.activity_head',
  id: 'head',
  attributes: {
    seq: 1204,
    hash: '3f9a0c71d24be8865a1f'.padEnd(64, '0'),
    verified_at: ago(0),
    verified_seq: 1204,
    unbroken: true,
    count: 1204,
    since: ago(24 * 200),
  },
}

const ACTIVITY = [
  sampleEntry(1204, 0.1, { event: 'login.succeeded', detail: { method: 'password' } }),
  sampleEntry(1203, 2, {
    event: 'consent.given',
    target: { kind: 'client', id: 'c1', name: 'Drive for Android' },
    rights: ['Contacts: read only'],
    until: Date.now() + 30 * 24 * HOUR_MS,
  }),
  sampleEntry(1202, 26, {
    event: 'login.failed',
    actor: { kind: 'unknown' },
    outcome: 'refused',
    ip: '203.0.113.7',
  }),
  sampleEntry(1201, 27, {
    event: 'client.removed',
    target: { kind: 'client', id: 'c3', name: LONG_NAME },
  }),
  sampleEntry(1200, 50, {
    event: 'client.changed',
    actor: { kind: 'client', id: 'c4', name: RTL_NAME },
    target: { kind: 'client', id: 'c4', name: RTL_NAME, formerName: 'Weather' },
  }),
  sampleEntry(1199, 51, { event: 'something.new' }),
]

function sampleEntry(seq: number, hours: number, more: object): object {
  return {
    type: 'io.svc.settings.activity',
    id: String(seq),
    attributes: {
      seq,
      time: ago(hours),
      outcome: 'ok',
      actor: { kind: 'owner' },
      browser: 'Firefox',
      os: 'Linux',
      hash: String(seq).padStart(64, 'a'),
      ...more,
    },
  }
}

const PROFILE = {
  type: 'io.svc.settings',
  id: 'io.svc.settings.profile',
  attributes: {
    email: 'alice@mail.example',
    email_pending: { address: 'alice@new.example', sent_at: ago(0.1), expires_at: ago(-0.9) },
    email_previous: null,
    public_name: 'Alice Martin',
    locale: 'en',
    locales: ['de', 'en', 'es', 'fr'],
    time_zone: 'Europe/Paris',
    phone: { number: '+33612345678', verified_at: ago(24 * 30) },
    phone_pending: { number: '+4915112345678', expires_at: ago(-0.1) },
    sms: true,
    domain: 'alice.example.com',
    aliases: [],
    magic_link: false,
    password_defined: true,
    created_at: ago(24 * 400),
  },
  meta: { rev: 'r1' },
  links: { export: '/export', close: '/close' },
}

const LOGINS = [
  sampleLogin('s1', { os: 'Linux', browser: 'Chromium', session: 's1', current: true }),
  sampleLogin('s2', {
    os: 'Android',
    browser: 'Firefox',
    session: 's2',
    country: 'France',
    city: 'Lyon',
  }),
  sampleLogin('s9', { os: '', browser: '', method: 'magic_link' }),
]

function sampleLogin(id: string, more: object): object {
  return {
    type: 'io.svc.sessions.logins',
    id,
    attributes: {
      created_at: ago(20),
      method: 'password',
      ip: '203.0.113.7',
      current: false,
      ...more,
    },
  }
}

/** Answers with what there is then. */
export const gives =
  (body: () => object) =>
  (ctx: Koa.Context): void => {
    ctx.body = body()
  }

const done = (ctx: Koa.Context): void => {
  ctx.status = 204
}

/** Endpoints with a few apps and sessions; removed ones are gone from the next list. */
export function settingsAnswers(clients: readonly object[] = CLIENTS): Answers {
  let left = [...clients] as { id: string }[]
  const removals = left.map(({ id }) => [
    `DELETE /settings/clients/${id}`,
    (ctx: Koa.Context) => {
      left = left.filter((client) => client.id !== id)
      ctx.status = 204
    },
  ])
  return {
    'PATCH /settings/clients/c1': gives(() => ({ data: left[0] })),
    'GET /settings/assistants': gives(() => ({ data: [], meta: { count: 0, allowed: true } })),
    'GET /data/io.svc.accounts': gives(() => ({ documents: [] })),
    'GET /konnectors': gives(() => ({ data: [] })),
    'GET /notifications/preferences': gives(() => ({
      data: { attributes: { time_zone: null, quiet_hours: null, sources: [] } },
    })),
    'GET /settings/clients': gives(() => ({ data: left })),
    'GET /settings/devices': gives(() => ({ data: DEVICES })),
    'GET /settings/checkup': gives(() => ({ data: CHECKUP })),
    'GET /settings/factors': gives(() => ({ data: FACTORS })),
    'GET /settings/trusted_devices': gives(() => ({ data: TRUSTED })),
    'GET /settings/profile': gives(() => ({ data: PROFILE })),
    'GET /settings/logins': gives(() => ({
      data: LOGINS,
      links: { next: '/settings/logins?page%5Bcursor%5D=x' },
    })),
    'PATCH /settings/profile': gives(() => ({ data: PROFILE })),
    'GET /settings/passphrase': gives(() => ({ data: PASSPHRASE })),
    'GET /settings/disk-usage': gives(() => ({ used: 400_000_000, quota: 1_073_741_824 })),
    'GET /settings/activity': gives(() => ({ data: ACTIVITY, links: {} })),
    'GET /settings/activity/head': gives(() => ({ data: HEAD })),
    'POST /settings/activity/verify': gives(() => ({ data: HEAD })),
    'DELETE /settings/sessions/sv2': done,
    'DELETE /settings/devices/v2': done,
    'DELETE /settings/trusted_devices/t2': done,
    'DELETE /auth/login/others': done,
    'DELETE /auth/login': done,
    ...Object.fromEntries(removals),
  }
}

/** A record that somebody changed outside of the server, and that went on. */
export function brokenRecord(): Answers {
  const fault = { seq: 1180, after: ago(24 * 3) }
  const data = { ...HEAD, attributes: { ...HEAD.attributes, unbroken: false, fault } }
  const gap = sampleEntry(1203, 1, { event: 'record.gap', actor: { kind: 'server' } })
  return {
    'GET /settings/activity': gives(() => ({
      data: [ACTIVITY[0], gap, ...ACTIVITY.slice(2)],
      links: {},
    })),
    'POST /settings/activity/verify': gives(() => ({ data })),
  }
}

/** As many connected apps as anyone has had. */
export function sixtyClients(): readonly object[] {
  return Array.from({ length: 60 }, (_unused, at) =>
    sampleClient(`many-${at}`, `Application number ${at + 1}`, { last_used_at: ago(at) }),
  )
}
