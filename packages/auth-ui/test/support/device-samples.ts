import { HOUR_MS } from '@svc/platform'
import { LONG_NAME } from './sample-models.ts'

/** So many hours before now. */
export const ago = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString()

/** Browsers as the owner sees them: this one, two that are logged in, one that is only trusted. */
export const DEVICES = [
  sampleDevice('v2', { os: 'Android', browser: 'Firefox', trusted: true, country: 'France' }),
  sampleDevice('v1', { os: 'Linux', browser: 'Chromium', last_seen: ago(0), current: true }),
  sampleDevice('v3', { os: 'iOS', browser: 'Safari', last_seen: ago(24 * 40) }),
  sampleDevice('v4', {
    name: LONG_NAME,
    trusted: true,
    sessions: [],
    ip: undefined,
    // Well before v2: the page shows the latest first, and the clock may tick between two samples.
    last_seen: ago(30),
  }),
]

function sampleDevice(id: string, more: object): object {
  return {
    type: 'io.svc.devices',
    id,
    attributes: {
      name: '',
      sessions: [
        {
          id: `s${id}`,
          created_at: ago(24 * 20),
          last_seen: ago(1),
          long_run: true,
          short_run: false,
        },
      ],
      trusted: false,
      last_seen: ago(20),
      ip: '203.0.113.7',
      current: false,
      ...more,
    },
  }
}

/** Every finding of the check-up; the page shows the first five that are not `ok`. */
export const CHECKUP = [
  finding('email-pending', 'advice', '#/profile/address', {
    name: 'alice@new.example',
    until: ago(-0.9),
  }),
  finding('renamed-app', 'ok', '#/apps'),
  finding('login-failures', 'urgent', '#/security/second-step', { count: 12 }),
  finding('one-factor', 'ok', '#/security/second-step'),
  finding('recovery-codes', 'advice', '#/security/recovery-codes', { count: 2 }),
  finding('passkeys', 'urgent', '#/security/passkeys', { count: 1 }),
  finding('unused-app', 'advice', '#/apps/c1', { count: 1, name: 'Drive for Android' }),
  finding('unseen-device', 'advice', '#/devices/v3', { count: 1 }),
  finding('magic-link', 'ok', '#/security/login-link'),
  finding('no-email', 'ok', '#/profile/address'),
]

function finding(id: string, state: string, href: string, more: object = {}): object {
  return { type: 'io.svc.checkup', id, attributes: { state, href, ...more } }
}

export const TRUSTED = [
  {
    type: 'io.svc.settings.trusted_devices',
    id: 't2',
    attributes: { label: 'Firefox, Android', created_at: ago(24 * 3), device: 'v2' },
  },
]
