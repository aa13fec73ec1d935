import type { RecordKind } from '@svc/platform'
import { expect } from 'chai'
import { findRecords } from '@svc/platform'
import { until } from '@svc/testkit'
import { type AccountHost, startAccountHost } from '../support/account-host.ts'
import { visitEveryPart } from '../support/record-round.ts'
import { observeRecords, type RecordObserver } from '../support/record-observer.ts'

/** Kinds that this round does not reach, and the suite whose records they are. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['account', 'connectors: of hosts without documents'],
  ['account-ticket', 'connectors: of a host of its own for providers’ answers'],
  ['activity-check', 'activity'],
  ['activity-refusals', 'activity'],
  ['activity-segment', 'activity'],
  ['admin-token', 'host: of an operator’s portal, in admin-tokens'],
  ['assistant-call', 'oauth-core: of an assistant, in assistant-calls'],
  ['assistant-choice', 'oauth-core: of an assistant, in assistant-consent'],
  ['assistant-day', 'oauth-core: of an assistant, in assistant-calls'],
  ['assistant-preferences', 'oauth-core: of an assistant, in assistants'],
  ['cimd-copy', 'oauth-core: of an operator, in kept-documents'],
  ['cimd-document', 'oauth-core: of a server with a resource'],
  ['cimd-key-set', 'oauth-core: of a server with a resource'],
  ['client-snapshot', 'oauth-core: of an assistant, in kept-documents'],
  ['client-assertion', 'oauth-core: of a server with a resource'],
  ['document-before', 'host: of an assistant that changed something, in assistant-writes'],
  ['demo-instance', 'made where the server runs on its own'],
  ['external-id', 'platform: of a host with records of its own, in external-ids'],
  ['notification-digest', 'notify: a lock of an hour’s digest'],
  ['own-enrolment', 'auth-ui: of a factor of the host, in own-factor'],
  ['passkey-use', 'auth-ui: of a browser with a passkey'],
  ['profile', 'auth-ui: of a change of the mail address'],
  ['transfer-code', 'auth-ui: of flat app hosts'],
  ['restored', 'host: backup'],
  ['restored-notice', 'host: backup'],
])

describe('what the host stores', function () {
  this.timeout(40_000)
  let host: AccountHost
  let seen: RecordObserver
  let isStopped = false

  before(async () => {
    host = await startAccountHost()
    const { store, app } = host.host
    seen = observeRecords(store, app.oauth.records)
    // What was there before anybody looked.
    const { records } = app.oauth
    for (const tag of [...records.sharedTags(), host.instance.id]) {
      for await (const record of findRecords(records, store, tag)) seen.look(record)
    }
    await doSomethingOfEverything()
    isStopped = true
    await host.stop()
  })
  after(async () => {
    if (!isStopped) await host.stop()
  })

  async function doSomethingOfEverything(): Promise<void> {
    const accountId = await host.connectAccount()
    await host.adminJson('POST', `/accounts/${accountId}/refresh`, { force: true })
    await host.adminJson('PATCH', '', { phone: '+33 6 12 34 56 78' })
    await host.adminJson('POST', '/konnectors', { slug: 'demo-photos' }, 201)
    await host.connect('io.svc.contacts:GET')
    await host.adminJson('POST', '/apps', { app: 'drive' }, 201)
    const drive = await host.appToken('drive')
    const file = await host.call(drive, 'POST', '/data/io.svc.files', { name: 'Holidays' })
    const ids = [file.json<{ _id: string }>()._id]
    const shared = { type: 'io.svc.files', ids, password: 'secret words' }
    expect((await host.call(drive, 'POST', '/shares', shared)).status).to.equal(201)
    await host.adminJson('POST', '/apps', { app: 'safe' }, 201)
    await notify()
    await visitEveryPart(host, seen)
  }

  async function notify(): Promise<void> {
    const attributes = { category: 'reminders', title: 'Reminder', content: 'Water the plants' }
    const access = await host.appToken('safe')
    const answer = await host.call(
      access,
      'POST',
      '/notifications',
      { data: { attributes } },
      { 'content-type': 'application/vnd.api+json', 'idempotency-key': 'once' },
    )
    expect(answer.status, answer.text).to.equal(201)
    await until(() => seen.kinds.has('dev-mail'))
  }

  it('is declared, has the declared form, and is found by the registry', () => {
    expect([...seen.faults]).to.deep.equal([])
  })

  it('is one record of every kind that this round can reach', () => {
    const kinds: readonly RecordKind[] = host.host.app.oauth.records.all()
    const missing = kinds.map(({ kind }) => kind).filter((kind) => !seen.kinds.has(kind))
    expect(missing.filter((kind) => !ELSEWHERE.has(kind))).to.deep.equal([])
    expect([...ELSEWHERE.keys()].filter((kind) => seen.kinds.has(kind))).to.deep.equal([])
  })
})
