import { expect } from 'chai'
import { checkEntry } from '../../../src/account-types/check-entry.ts'
import { createEntryReader } from '../../../src/account-types/entry-reader.ts'
import { applyPreset, PRESETS } from '../../../src/account-types/presets.ts'
import { recordedLog } from '../../support/recorded-log.ts'

const CLIENT = { client_id: 'id', client_secret: 'secret' }
const reader = createEntryReader({ log: recordedLog() })
const read = (preset: string, fields: object = {}) =>
  reader.read('x', { _id: 'x', preset, ...CLIENT, ...fields })

describe('presets (connectors.md 2.4; D38)', () => {
  it('has the providers of the specification, without Fitbit', () => {
    expect(Object.keys(PRESETS)).to.deep.equal([
      'discord',
      'dropbox',
      'facebook',
      'github',
      'gitlab',
      'google',
      'linkedin',
      'microsoft',
      'notion',
      'reddit',
      'slack',
      'spotify',
      'strava',
      'twitch',
      'withings',
    ])
  })

  for (const preset of Object.keys(PRESETS)) {
    it(`needs of the operator of ${preset} no more than the client's id and secret`, () => {
      const type = read(preset)
      expect(type.fault).to.equal(undefined)
      expect(type.isInteractive).to.equal(true)
      for (const url of [type.authEndpoint, type.tokenEndpoint]) expect(url).to.match(/^https:/)
    })

    it(`keeps to the rules of entries with the fields of ${preset}`, () => {
      const { faults } = checkEntry({ _id: 'x', ...PRESETS[preset], ...CLIENT })
      expect(faults).to.deep.equal([])
    })
  }

  it('knows the quirks of providers', () => {
    const slack = read('slack')
    expect([slack.scopeParam, slack.tokenResponsePath, slack.scopeSeparator]).to.deep.equal([
      'user_scope',
      ['authed_user'],
      ',',
    ])
    expect(slack.revokedErrors).to.include.members(['token_revoked', 'invalid_refresh_token'])
    expect(read('strava').errorPaths).to.deep.equal([['errors', 'resource+field+code']])
    const withings = read('withings')
    expect([withings.tokenParams, withings.refreshParams]).to.deep.equal([
      { action: 'requesttoken' },
      { action: 'requesttoken' },
    ])
    expect([withings.errorStatusPath, withings.tokenResponsePath]).to.deep.equal([
      ['status'],
      ['body'],
    ])
    const notion = read('notion')
    expect([notion.tokenMode, notion.tokenBodyFormat]).to.deep.equal(['basic', 'json'])
    expect(read('strava').scopeFrom).to.equal('callback')
    expect(read('facebook').tokenMode).to.equal('get')
    expect(read('microsoft').addedScopes).to.deep.equal(['offline_access'])
    expect(read('google').extras).to.deep.equal({ access_type: 'offline', prompt: 'consent' })
  })

  it("lets the entry's own fields come first, member by member of maps, and joins lists", () => {
    const own = {
      _id: 'x',
      preset: 'google',
      token_endpoint: 'https://token.example.com/',
      extras: { prompt: 'select_account', hd: 'example.com' },
      revoked_errors: ['gone'],
    }
    const google = applyPreset(own)
    expect(google.token_endpoint).to.equal('https://token.example.com/')
    expect(google.auth_endpoint).to.equal(PRESETS['google']?.auth_endpoint)
    expect(google.extras).to.deep.equal({
      access_type: 'offline',
      prompt: 'select_account',
      hd: 'example.com',
    })
    const slack = applyPreset({ _id: 'x', preset: 'slack', revoked_errors: ['gone'] })
    expect(slack.revoked_errors).to.include.members(['invalid_refresh_token', 'gone'])
  })

  it('wants a client secret where a provider has no PKCE to do without one', () => {
    const { faults } = checkEntry({ _id: 'x', preset: 'linkedin', client_id: 'id' })
    expect(faults.map(({ field }) => field)).to.deep.equal(['client_secret'])
    expect(checkEntry({ _id: 'x', preset: 'google', client_id: 'id' }).faults).to.deep.equal([])
  })

  it('does not take names of JavaScript for presets', () => {
    for (const preset of ['__proto__', 'constructor', 'toString', 'fitbit']) {
      expect(read(preset).fault?.field, preset).to.equal('preset')
    }
  })
})
