import { HOUR_MS } from '@svc/platform'
import type Koa from 'koa'
import { LONG_NAME, RTL_NAME } from './sample-models.ts'

type Answers = Readonly<Record<string, (ctx: Koa.Context) => void>>

const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

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
        { scope: 'io.svc.files', text: 'Files and folders: read, add, change, delete' },
        { scope: 'io.svc.contacts:GET', text: 'Contacts: read only' },
      ],
      ...more,
    },
  }
}

const CLIENTS = [
  sampleClient('c1', 'Drive for Android'),
  sampleClient('c2', 'Notes', { client_kind: 'web', platform: undefined, last_used_at: ago(0.2) }),
  sampleClient('c3', LONG_NAME, { client_kind: 'desktop', platform: 'Linux' }),
  sampleClient('c4', RTL_NAME, { last_used_at: undefined, permissions: [] }),
]

const SESSIONS = [
  sampleSession('s2', { os: 'Android', browser: 'Firefox', last_seen: ago(20), long_run: true }),
  sampleSession('s1', { os: 'Linux', browser: 'Chromium', last_seen: ago(0), current: true }),
  sampleSession('s3', { os: 'iOS', browser: 'Safari', last_seen: ago(24 * 12), country: 'France' }),
]

function sampleSession(id: string, more: object): object {
  return {
    type: 'io.svc.sessions',
    id,
    attributes: {
      created_at: ago(24 * 20),
      last_seen: ago(1),
      long_run: false,
      short_run: false,
      current: false,
      ip: '203.0.113.7',
      ...more,
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
    passkey_after_passphrase: false,
    recovery: { left: 2, created_at: ago(24 * 30) },
  },
}

const DEVICES = [
  sampleDevice('d1', 'Firefox, Android', { last_used: ago(5) }),
  sampleDevice('d2', LONG_NAME),
]

function sampleDevice(id: string, label: string, more: object = {}): object {
  return {
    type: 'io.svc.trusted_devices',
    id,
    attributes: { label, created_at: ago(24 * 3), ...more },
  }
}

function sampleAccess(kind: string, id: string, name: string, more: object = {}): object {
  return {
    type: 'io.svc.access',
    id,
    attributes: {
      kind,
      name,
      created_at: ago(24 * 20),
      last_used_at: ago(3),
      last_used_from: '203.0.113.7',
      permissions: [{ scope: '*', text: 'Everything in your space' }],
      ...more,
    },
  }
}

const FILES = { scope: 'io.svc.files', text: 'Files and folders: read, add, change, delete' }

/** Everything that has access, of each kind. */
const ACCESS = [
  sampleAccess('client', 'c1', 'Drive for Android', {
    client_kind: 'mobile',
    platform: 'Android',
    permissions: [FILES, { scope: 'io.svc.contacts:GET', text: 'Contacts: read only' }],
  }),
  sampleAccess('client', 'c2', LONG_NAME, {
    client_kind: 'desktop',
    expires_at: ago(-20),
    permissions: [{ ...FILES, until: ago(-20) }],
  }),
  sampleAccess('client', 'c3', RTL_NAME, { last_used_at: undefined, last_used_from: undefined }),
  sampleAccess('session', 's1', 'Chromium, Linux', { current: true, expires_at: ago(-600) }),
  sampleAccess('session', 's2', 'Firefox, Android', { country: 'France', expires_at: ago(-500) }),
  sampleAccess('trusted_device', 'd1', 'Firefox, Android', { permissions: [] }),
]

const PASSPHRASE = {
  type: 'io.svc.settings',
  id: 'io.svc.settings.passphrase',
  attributes: { salt: 'me@alice.example.com', kdf: 0, iterations: 50_000 },
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
    target: { kind: 'client', id: 'c4', name: RTL_NAME },
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
    phone: null,
    phone_pending: null,
    sms: false,
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
    'GET /settings/clients': (ctx) => {
      ctx.body = { data: left }
    },
    'GET /settings/access': (ctx) => {
      ctx.body = { data: ACCESS }
    },
    'GET /settings/sessions': (ctx) => {
      ctx.body = { data: SESSIONS }
    },
    'GET /settings/factors': (ctx) => {
      ctx.body = { data: FACTORS }
    },
    'GET /settings/trusted_devices': (ctx) => {
      ctx.body = { data: DEVICES }
    },
    'GET /settings/profile': (ctx) => {
      ctx.body = { data: PROFILE }
    },
    'GET /settings/logins': (ctx) => {
      ctx.body = { data: LOGINS, links: { next: '/settings/logins?page%5Bcursor%5D=x' } }
    },
    'GET /settings/passphrase': (ctx) => {
      ctx.body = { data: PASSPHRASE }
    },
    'GET /settings/disk-usage': (ctx) => {
      ctx.body = { used: 400_000_000, quota: 1_073_741_824 }
    },
    'GET /settings/activity': (ctx) => {
      ctx.body = { data: ACTIVITY, links: {} }
    },
    'POST /settings/activity/verify': (ctx) => {
      ctx.body = { data: HEAD }
    },
    'GET /settings/hint': done,
    'DELETE /settings/sessions/s2': done,
    'DELETE /auth/login/others': done,
    'DELETE /auth/login': done,
    ...Object.fromEntries(removals),
  }
}

/** As many connected apps as anyone has had. */
export function sixtyClients(): readonly object[] {
  return Array.from({ length: 60 }, (_unused, at) =>
    sampleClient(`many-${at}`, `Application number ${at + 1}`, { last_used_at: ago(at) }),
  )
}
