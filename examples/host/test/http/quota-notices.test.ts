import { until } from '@svc/testkit'
import { expect } from 'chai'
import { createDocumentStore } from '../../src/documents/document-store.ts'
import { eachTestHost } from '../support/for-test.ts'
import { told, toldTimes } from '../support/told.ts'

const QUOTA = 1_000_000
const KIND = 'disk-quota'

/** @see operation.md 8.3; decision D84 */
describe('what owners are told of their quota', () => {
  const host = eachTestHost({ SVC_LIMITS_DISK: String(QUOTA) })

  /** Writes or shrinks one document, so that this share of the quota is used. */
  async function use(share: number): Promise<void> {
    const { quota } = host.host.app
    const documents = createDocumentStore(host.host.store)
    const { instance } = host
    await documents.delete(instance, 'io.svc.files', 'big', 'any')
    const { used } = await quota.use(instance)
    const text = 'x'.repeat(Math.max(0, Math.round(QUOTA * share - used - 300)))
    await documents.put(instance, { type: 'io.svc.files', id: 'big', fields: { text } }, 'any')
  }

  /** What happens whenever somebody wants to store more. */
  async function grow(bytes: number): Promise<void> {
    await host.host.app.quota.admit(host.instance, { bytes }).catch(() => {})
  }

  it('come at 90 % and at 100 %, once each', async () => {
    await use(0.8)
    await grow(1)
    expect(await told(host, KIND)).to.deep.equal([])
    await use(0.92)
    await Promise.all([grow(1), grow(1), grow(1)])
    await toldTimes(host, KIND, 1)
    await grow(1)
    await grow(QUOTA)
    await toldTimes(host, KIND, 2)
    await grow(QUOTA)
    const [nearly, full] = await told(host, KIND)
    expect(nearly?.title).to.equal('Your space is nearly full')
    expect(full?.title).to.equal('Your space is full')
    const mails = await until(async () => {
      const kept = (await host.host.app.mailbox?.list(host.instance)) ?? []
      const quota = kept.filter(({ mail }) => mail.subject.endsWith('full'))
      return quota.length === 2 && quota
    })
    expect(mails.map(({ mail }) => mail.subject).sort()).to.deep.equal([
      'alice.example.com is full',
      'alice.example.com is nearly full',
    ])
    const text = mails.map(({ mail }) => mail.text).join('\n')
    expect(text).to.include('#/storage')
    expect((await told(host, KIND)).length).to.equal(2)
  })

  it('come again only after the use fell below 85 %', async () => {
    await use(0.92)
    await grow(1)
    await toldTimes(host, KIND, 1)
    await use(0.87)
    await grow(1)
    await use(0.92)
    await grow(1)
    expect(await recordOfNotice()).to.equal('nearly')
    await use(0.8)
    await grow(1)
    await until(async () => (await recordOfNotice()) === undefined)
    expect((await told(host, KIND)).length).to.equal(1)
  })

  async function recordOfNotice(): Promise<unknown> {
    const key = `{${host.instance.id}}:quota-notice:level` as Parameters<
      typeof host.host.store.get
    >[0]
    return (await host.host.store.get(key))?.value
  }
})
