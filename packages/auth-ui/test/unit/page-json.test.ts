import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import type { PageData } from '../../src/index.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

const SAME_ORIGIN = { Accept: 'application/json', 'Sec-Fetch-Site': 'same-origin' }

describe('pages as data', () => {
  let server: SampleServer
  before(async () => {
    server = await sampleServer()
  })
  after(() => server.close())

  async function dataOf(name: string): Promise<PageData> {
    const response = await fetch(`${server.origin}/${name}`, { headers: SAME_ORIGIN })
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).to.equal('no-store')
    expect(response.headers.get('access-control-allow-origin')).to.equal(null)
    return (await response.json()) as PageData
  }

  const pages: readonly [sample: string, page: string][] = [
    ['login', 'login'],
    ['login-magic', 'login'],
    ['login-import', 'login'],
    ['login-authorize', 'login'],
    ['passcode', 'passcode'],
    ['passcode-all', 'passcode'],
    ['passcode-passkey', 'passcode'],
    ['choose', 'choose-passphrase'],
    ['renew', 'renew'],
    ['reset', 'reset'],
    ['confirm', 'confirm'],
    ['consent', 'consent'],
    ['assistant', 'assistant'],
  ]
  for (const [sample, name] of pages) {
    it(`${sample}: the forms are those of the page`, async () => {
      const data = await dataOf(sample)
      expect(data.page).to.equal(name)
      const html = await (await fetch(`${server.origin}/${sample}`)).text()
      const { forms } = parsePage(html, server.origin)
      expect(data.forms.map(({ action }) => action)).to.deep.equal(
        forms.map(({ action }) => new URL(action, server.origin).pathname),
      )
      for (const [at, { hidden, fields, derivation }] of data.forms.entries()) {
        const shown = new Map(forms[at]?.fields)
        for (const [field, value] of Object.entries(hidden))
          expect(shown.get(field), field).to.equal(value)
        expect(Object.keys(hidden)).to.include('csrf_token')
        if (derivation !== undefined) expect(html).to.include(`data-salt="${derivation.salt}"`)
        for (const field of fields.filter((it) => !/^(?:choice|permission-\d+)$/u.test(it)))
          expect(html, field).to.include(`name="${field}"`)
      }
    })
  }

  it('say where the passphrase itself goes, while an imported hash needs it', async () => {
    const [form] = (await dataOf('login-import')).forms
    expect(form?.hidden).to.have.property('passphrase_raw', '')
    const [usual] = (await dataOf('login')).forms
    expect(usual?.hidden).not.to.have.property('passphrase_raw')
  })

  it('say what a page is about, and no text of it', async () => {
    const data = await dataOf('login-wrong')
    expect(data).to.deep.include({ problem: { code: 'invalid_passphrase' }, longRun: true })
    expect(JSON.stringify(data)).not.to.include('Log in')
  })

  it('say of a client what it says of itself to everybody', async () => {
    const data = await dataOf('consent')
    expect(Object.keys(data['client'] as object)).to.have.members(['id', 'name', 'uri', 'policy'])
    expect(data).to.include.keys('permissions', 'signs', 'durations', 'cancelUrl', 'redirectUri')
  })

  const others: readonly [name: string, headers: Readonly<Record<string, string>>][] = [
    ['another site', { ...SAME_ORIGIN, 'Sec-Fetch-Site': 'cross-site' }],
    ['an app of the owner', { ...SAME_ORIGIN, 'Sec-Fetch-Site': 'same-site' }],
    ['the address bar', { ...SAME_ORIGIN, 'Sec-Fetch-Site': 'none' }],
    ['a program', { Accept: 'application/json' }],
    ['who prefers pages', { ...SAME_ORIGIN, Accept: 'text/html, application/json;q=0.9' }],
  ]
  for (const [name, headers] of others) {
    it(`are not for ${name}`, async () => {
      const response = await fetch(`${server.origin}/login`, { headers })
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    })
  }

  it('are the pages of forms alone', async () => {
    const response = await fetch(`${server.origin}/out-of-band`, { headers: SAME_ORIGIN })
    expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
  })
})
