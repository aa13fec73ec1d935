import { type Instance, originOfApp } from '@svc/platform'
import type { AuthModeChange, PasscodePurpose, SystemMail } from './system-mails.ts'

const PURPOSES: readonly PasscodePurpose[] = [
  'login',
  'confirm',
  'flagship',
  'session_code',
  'passphrase',
  'move',
  'auth_mode',
]
const CHANGES: readonly AuthModeChange[] = [
  'two_factor_on',
  'two_factor_off',
  'factor_added',
  'factor_removed',
]
const SECRET = '0123456789abcdef0123456789abcdef'
const CODE = '482916'

/**
 * Every system mail with made-up variables, by the name of its template, with `.` and a variant where there are
 * several: to look at, with `notify.render`. `time` is when the requests they tell of were made, milliseconds since
 * the epoch.
 */
export function sampleMails(instance: Instance, time: number): ReadonlyMap<string, SystemMail> {
  const { origin } = instance
  const settings = `${originOfApp(instance, 'settings')}/#`
  const who = { address: '203.0.113.7', browser: 'Firefox', os: 'Linux', place: 'Lyon, France' }
  const facts = { time, ...who }
  const news = { ...facts, url: `${settings}/devices` }
  const security = { ...facts, url: `${settings}/security` }
  const mails = new Map<string, SystemMail>()
  const add = (mail: SystemMail, variant?: string | number): void => {
    mails.set(variant === undefined ? mail.template : `${mail.template}.${variant}`, mail)
  }

  const register = `${origin}/auth/passphrase?registerToken=${SECRET}`
  add({ template: 'onboarding', variables: { url: register } })
  add({ template: 'new_connection', variables: news })
  const changed = { ...facts, url: `${origin}/auth/passphrase_reset` }
  add({ template: 'passphrase_changed', variables: changed })
  const passkeys = ['Phone', 'Work laptop']
  add({ template: 'passphrase_changed', variables: { ...changed, passkeys } }, 'passkeys')
  add({ template: 'login_throttled', variables: { ...facts, url: `${settings}/` } })
  for (const purpose of PURPOSES) {
    const variables = { ...facts, passcode: CODE, purpose, minutes: 5 }
    add({ template: 'two_factor', variables }, purpose)
  }
  const activation = { ...facts, code: CODE, minutes: 5 }
  add({ template: 'two_factor_mail_confirmation', variables: activation })
  const magic = `${origin}/auth/magic_link?code=${SECRET}&redirect=`
  add({ template: 'magic_link', variables: { ...facts, url: magic, minutes: 15 } })
  for (const losesVault of [false, true]) {
    const url = `${origin}/auth/passphrase_renew?token=${SECRET}`
    const variables = { ...facts, url, minutes: 15, losesVault }
    add({ template: 'passphrase_reset', variables }, losesVault ? 'vault' : undefined)
  }
  const hint = 'Grandmother’s street,\nthen what the parrot said'
  add({ template: 'passphrase_hint', variables: { url: `${origin}/auth/login`, hint } })
  for (const change of CHANGES) {
    for (const factor of ['mail', 'totp', 'passkey'] as const) {
      const variables = { ...security, change, factor }
      add({ template: 'auth_mode_changed', variables }, `${change}.${factor}`)
    }
  }
  for (const change of ['passkey_added', 'passkey_removed'] as const) {
    const variables = { ...security, change, factor: 'passkey' } as const
    add({ template: 'auth_mode_changed', variables }, change)
  }
  add({ template: 'passkey_suspended', variables: { ...security, label: 'Work laptop' } })
  const created = { change: 'recovery_codes_created', factor: 'recovery', left: 10 } as const
  add({ template: 'auth_mode_changed', variables: { ...security, ...created } }, created.change)
  for (const left of [3, 1, 0]) {
    const used = { change: 'recovery_code_used', factor: 'recovery', left } as const
    const variables = { ...security, ...used }
    add({ template: 'auth_mode_changed', variables }, `${used.change}.${left}`)
  }
  add({ template: 'confirm_flagship', variables: { ...facts, code: CODE, minutes: 10 } })
  const confirm = `${origin}/auth/email?token=${SECRET}`
  const change = { ...facts, url: confirm, minutes: 60, recipient: 'new@mail.example' }
  add({ template: 'update_email', variables: change })
  const moved = { ...facts, newAddress: 'n…@new.example' }
  const profile = { ...moved, url: `${settings}/profile` }
  add({ template: 'email_change_requested', variables: profile })
  const undo = { ...moved, url: `${origin}/auth/email/undo?token=${SECRET}`, hours: 72 }
  add({ template: 'email_changed', variables: undo })
  add({ template: 'email_changed', variables: moved }, 'final')
  const anew = { ...moved, url: `${origin}/auth/passphrase_reset` }
  add({ template: 'email_undone', variables: anew })
  add({ template: 'email_undone', variables: moved }, 'gone')
  const copy = { ...facts, isCopy: true } as const
  add({ template: 'passphrase_changed', variables: copy }, 'copy')
  add({ template: 'new_connection', variables: copy }, 'copy')
  const full = { url: `${settings}/apps`, clientName: 'Drive for Android', limit: 3 }
  add({ template: 'oauth_clients_limit', variables: full })
  const ending = { clientName: 'Drive for Android', endsAt: time + 72 * 3600 * 1000 }
  add({ template: 'access_ending', variables: { url: `${settings}/apps`, ...ending } })
  const assistant = { url: `${settings}/apps`, clientName: 'Sage' }
  for (const news of ['first', 'write'] as const) {
    const rights = ['Contacts', 'Notes']
    const endsAt = time + 24 * 3600 * 1000
    const from = news === 'first' ? { host: 'sage.example' } : {}
    const variables = { ...facts, ...assistant, ...from, news, rights, endsAt }
    add({ template: 'assistant_connected', variables }, news)
  }
  for (const reason of ['client_gone', 'refresh_reuse', 'weaker_authentication'] as const) {
    add({ template: 'assistant_ended', variables: { ...assistant, reason } }, reason)
  }
  add({ template: 'assistant_busy', variables: { ...assistant, documents: 1000 } })
  const storage = `${settings}/storage`
  add({ template: 'disk_quota', variables: { url: storage } })
  add({ template: 'disk_quota', variables: { url: storage, isFull: true } }, 'full')
  const backupAt = time - 30 * 3600 * 1000
  add({ template: 'space_restored', variables: { url: `${settings}/apps`, backupAt } })
  return mails
}
