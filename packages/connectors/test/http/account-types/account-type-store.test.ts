import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { createSealer, type SealingKey } from '@svc/platform'
import type { Json, Store, StoredRecord } from '@svc/store'
import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { keyOfId } from '../../../src/account-types/account-type-record.ts'
import { createAccountTypes } from '../../../src/account-types/account-type-store.ts'
import type { AccountTypes } from '../../../src/account-types/account-type.ts'
import { AccountTypeError } from '../../../src/account-types/entry-gate.ts'
import { secretsForConnector } from '../../../src/account-types/secrets.ts'
import { recordedLog, type RecordedLog } from '../../support/recorded-log.ts'

const OLD: SealingKey = { kid: 'k1', key: randomBytes(32) }
const NEW: SealingKey = { kid: 'k2', key: randomBytes(32) }
const SECRETS = ['cl1ent-s3cret', 'any-s3cret', 'push-s3cret', 'apns-s3cret', 'he4der-s3cret']
const ENTRY = {
  _id: 'bank',
  slug: 'bank',
  grant_mode: 'authorization_code+secret',
  client_id: 'id',
  client_secret: 'cl1ent-s3cret',
  secret: { pin: 'any-s3cret' },
  push_credentials: { private_key: 'push-s3cret' },
  apns_credentials: { key: 'apns-s3cret' },
  auth_endpoint: 'https://bank.example.com/authorize',
  token_endpoint: 'https://bank.example.com/token',
  token_headers: { 'X-Api-Key': 'he4der-s3cret' },
  future: { kept: true },
}

type Stored = StoredRecord<Readonly<Record<string, Json>>>

eachStore((open, engine) => {
  describe('createAccountTypes (connectors.md 3)', () => {
    let store: Store
    let log: RecordedLog
    let types: Required<AccountTypes>

    function typesWith(...keys: readonly SealingKey[]): Required<AccountTypes> {
      return createAccountTypes({ store, sealer: createSealer(keys), log })
    }

    async function storedOf(id: string): Promise<Stored> {
      const record: Stored | undefined = await store.get(keyOfId(id))
      if (record === undefined) throw new Error(`nothing is stored of ${id}`)
      return record
    }

    async function overwrite(id: string, value: Readonly<Record<string, Json>>): Promise<void> {
      await store.write([{ op: 'put', key: keyOfId(id), value }])
    }

    beforeEach(async () => {
      store = await open()
      log = recordedLog()
      types = typesWith(OLD)
    })

    it('keeps an entry: new once, then replaced', async () => {
      expect(await types.put(ENTRY)).to.equal(true)
      expect(await types.put({ ...ENTRY, client_id: 'id-2' })).to.equal(false)
      const type = await types.get('bank', undefined)
      expect([type?.clientId, type?.clientSecret?.reveal()]).to.deep.equal([
        'id-2',
        'cl1ent-s3cret',
      ])
      expect(await types.getRaw('bank')).to.deep.include({ ...ENTRY, client_id: 'id-2' })
    })

    it('keeps nothing of an entry with faults, and tells them all', async () => {
      const error: unknown = await types
        .put({ ...ENTRY, token_mode: 'digest', pkce: 'plain' })
        .catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(AccountTypeError)
      expect((error as AccountTypeError).faults.map(({ field }) => field).sort()).to.deep.equal([
        'pkce',
        'token_mode',
      ])
      expect(await types.get('bank', undefined)).to.equal(undefined)
    })

    it('makes an entry new for exactly one of parallel writers, and keeps one of them whole', async () => {
      const written = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          types.put({ ...ENTRY, client_id: `id-${n}`, client_secret: `secret-${n}` }),
        ),
      )
      expect(written.filter((isNew) => isNew)).to.have.length(1)
      const type = await types.get('bank', undefined)
      const n = type?.clientId.slice('id-'.length)
      expect(type?.clientSecret?.reveal()).to.equal(`secret-${n}`)
    })

    it('deletes once', async () => {
      await types.put(ENTRY)
      const deleted = await Promise.all([types.delete('bank'), types.delete('bank')])
      expect([...deleted].sort()).to.deep.equal([false, true])
      expect(await types.get('bank', undefined)).to.equal(undefined)
      expect(await types.findBySlug('bank', undefined)).to.deep.equal([])
      expect(await types.list()).to.deep.equal([])
      expect(await types.delete('../bank')).to.equal(false)
    })

    it('takes the entry of the context, else the global one (2.3, 1)', async () => {
      await types.put(ENTRY)
      await types.put({ ...ENTRY, _id: 'work/bank', client_id: 'work-id' })
      const ask = async (context?: string) => {
        const type = await types.get('bank', context)
        return [type?.id, type?.name, type?.clientId]
      }
      expect(await ask('work')).to.deep.equal(['work/bank', 'bank', 'work-id'])
      expect(await ask('home')).to.deep.equal(['bank', 'bank', 'id'])
      expect(await ask()).to.deep.equal(['bank', 'bank', 'id'])
      await types.delete('bank')
      expect(await ask('work')).to.deep.equal(['work/bank', 'bank', 'work-id'])
      expect(await ask('home')).to.deep.equal([undefined, undefined, undefined])
    })

    it('never finds a name with a slash, nor anything else that names no type (2.3, 2)', async () => {
      await types.put({ ...ENTRY, _id: 'work/bank' })
      for (const name of ['work/bank', 'work%2Fbank', '', '..', 'BANK', 'bank\n', '__proto__']) {
        expect(await types.get(name, undefined), name).to.equal(undefined)
        expect(await types.get(name, 'work'), name).to.equal(undefined)
      }
      expect(await types.get('bank', 'work/x')).to.equal(undefined)
      expect(await types.get('bank', 'work')).not.to.equal(undefined)
      expect(await types.getRaw('no such id')).to.equal(undefined)
    })

    it('propagates errors of the store instead of falling back (2.3, 1)', async () => {
      const elsewhere = await open()
      const closed = createAccountTypes({ store: elsewhere, sealer: createSealer([OLD]), log })
      await closed.put(ENTRY)
      await elsewhere.close()
      const outcome = await closed.get('bank', 'work').catch(() => 'rejected')
      expect(outcome).to.equal('rejected')
      expect(await closed.findBySlug('bank', 'work').catch(() => 'rejected')).to.equal('rejected')
    })

    it('finds entries of a slug: of the context, then global ones that it does not replace (2.3, 3)', async () => {
      for (const [_id, slug] of [
        ['bank', 'bank'],
        ['bank-b', 'bank'],
        ['bank-c', 'bank'],
        ['work/bank', 'bank'],
        ['work/own', 'bank'],
        // Replaces a global entry though it belongs to another slug.
        ['work/bank-b', 'other'],
        ['home/bank-c', 'bank'],
        ['none', 'other'],
      ]) {
        await types.put({ ...ENTRY, _id, slug })
      }
      const ids = async (context?: string) =>
        (await types.findBySlug('bank', context)).map(({ id }) => id)
      expect(await ids()).to.deep.equal(['bank', 'bank-b', 'bank-c'])
      expect(await ids('work')).to.deep.equal(['work/bank', 'work/own', 'bank-c'])
      expect(await ids('home')).to.deep.equal(['home/bank-c', 'bank', 'bank-b'])
      expect(await ids('elsewhere')).to.deep.equal(['bank', 'bank-b', 'bank-c'])
      expect(await types.findBySlug('nobody', 'work')).to.deep.equal([])
      expect(await types.findBySlug('bank/../x', undefined)).to.deep.equal([])
      await types.put({ ...ENTRY, _id: 'bank', slug: 'other' })
      expect(await ids()).to.deep.equal(['bank-b', 'bank-c'])
    })

    it('finds at most 100 entries of a slug (2.3, 3)', async () => {
      const put = (id: string) => types.put({ _id: id, slug: 'bank' })
      for (let n = 0; n < 60; n += 1) {
        await Promise.all([put(`b${n}`), put(`work/w${n}`), put(`b${n + 60}`)])
      }
      expect(await types.findBySlug('bank', undefined)).to.have.length(100)
      const inWork = await types.findBySlug('bank', 'work')
      expect(inWork).to.have.length(100)
      expect(inWork.filter(({ id }) => id.startsWith('work/'))).to.have.length(60)
      expect(await types.list()).to.have.length(180)
    })

    it('gives a connector its secret when exactly one entry of its slug has one (3.5)', async () => {
      const ask = (context?: string) => secretsForConnector(types, 'bank', context)
      expect(await ask()).to.equal(undefined)
      await types.put(ENTRY)
      expect(await ask()).to.deep.equal({ secret: { pin: 'any-s3cret' } })
      await types.put({ _id: 'bank', slug: 'bank', grant_mode: 'secret', secret: [1, 'two'] })
      expect(await ask()).to.deep.equal({ secret: [1, 'two'] })
      await types.put({ _id: 'work/bank', slug: 'bank', grant_mode: 'secret', secret: 'of work' })
      expect(await ask('work')).to.deep.equal({ secret: 'of work' })
      await types.put({ _id: 'second', slug: 'bank' })
      expect(await ask()).to.equal(undefined)
      expect(await ask('work')).to.equal(undefined)
      await types.delete('second')
      await types.put({ ...ENTRY, grant_mode: 'authorization_code' })
      expect(await ask()).to.equal(undefined)
    })

    it('lists entries with `true` for secrets (3.1, 3.2)', async () => {
      await types.put(ENTRY)
      await types.put({ _id: 'a', slug: 'a' })
      expect(await types.list()).to.deep.equal([
        { _id: 'a', slug: 'a' },
        {
          ...ENTRY,
          client_secret: true,
          secret: true,
          push_credentials: true,
          apns_credentials: true,
          token_headers: { 'X-Api-Key': true },
        },
      ])
    })

    it('stores secrets sealed as v1, kid, nonce and ciphertext (3.4, 7.3)', async () => {
      await types.put(ENTRY)
      const { value } = await storedOf('bank')
      for (const name of ['client_secret', 'secret', 'push_credentials', 'apns_credentials']) {
        expect(value, name).not.to.have.property(name)
        expect(value[`${name}_encrypted`], name).to.match(/^v1\.k1\.[\w-]{16}\.[\w-]+$/)
      }
      expect(value['client_id']).to.equal('id')
    })

    it('shows no secret in the store, in lists, in print, in logs or in errors', async () => {
      await types.put(ENTRY)
      await types
        .put({ ...ENTRY, token_mode: 'x', client_secret: 'cl1ent-s3cret\n' })
        .catch((error: unknown) =>
          log.error('test', { error: inspect(error), json: JSON.stringify(error) }),
        )
      const type = await types.get('bank', undefined)
      const raw = await types.getRaw('bank')
      const shown = [
        (await storedOf('bank')).value,
        await types.list(),
        inspect(type, { depth: 9, showHidden: true }),
        JSON.stringify(type),
        JSON.stringify({ ...type }),
        inspect(raw, { depth: 9 }),
        JSON.stringify(raw),
        log.lines,
      ].map((thing) => (typeof thing === 'string' ? thing : JSON.stringify(thing)))
      for (const secret of SECRETS) {
        for (const [place, text] of shown.entries()) expect(text, `${place}`).not.to.include(secret)
      }
    })

    it('opens no value that was moved to another field (3.4)', async () => {
      await types.put(ENTRY)
      const { value } = await storedOf('bank')
      await overwrite('bank', {
        ...value,
        client_secret_encrypted: value['secret_encrypted'] ?? null,
      })
      const type = await types.get('bank', undefined)
      expect(type?.clientSecret).to.equal(undefined)
      expect(type?.fault).to.deep.equal({ field: 'client_secret', reason: 'cannot be opened' })
      expect(log.of('account_type.integrity_failed')).to.deep.equal([
        { accountType: 'bank', fields: ['client_secret'] },
      ])
      expect(await types.getRaw('bank')).not.to.have.property('client_secret')
    })

    it('opens no value of another entry, not even of the same name in a context (3.4)', async () => {
      await types.put(ENTRY)
      const { value } = await storedOf('bank')
      for (const id of ['other', 'work/bank']) {
        await overwrite(id, { ...value, _id: id })
        const raw = await types.getRaw(id)
        expect(Object.keys(raw ?? {}), id).not.to.include.members(['client_secret'])
        expect(JSON.stringify({ ...raw }), id).not.to.match(/s3cret/)
      }
      expect((await types.get('bank', 'work'))?.fault?.field).to.equal('client_secret')
    })

    it('knows an entry by the key it is under, whatever the record says', async () => {
      await types.put(ENTRY)
      const { value } = await storedOf('bank')
      await overwrite('bank', { ...value, _id: 'other' })
      expect((await types.get('bank', undefined))?.id).to.equal('bank')
    })

    it('reads with every key of a rotated ring, and seals with the first', async () => {
      await types.put(ENTRY)
      const rotated = typesWith(NEW, OLD)
      expect((await rotated.get('bank', undefined))?.clientSecret?.reveal()).to.equal(
        'cl1ent-s3cret',
      )
      await rotated.put({ ...ENTRY, _id: 'later' })
      expect((await storedOf('later')).value['client_secret_encrypted']).to.match(/^v1\.k2\./)
      const without = typesWith(NEW)
      expect((await without.get('bank', undefined))?.fault?.field).to.equal('client_secret')
    })

    if (engine === 'Redis') {
      it('sees a change of another process at the next call', async () => {
        const second = await open({ sameAs: store })
        const there = createAccountTypes({ store: second, sealer: createSealer([OLD]), log })
        await types.put(ENTRY)
        expect((await there.get('bank', undefined))?.clientId).to.equal('id')
        await types.put({ ...ENTRY, client_id: 'changed' })
        expect((await there.get('bank', undefined))?.clientId).to.equal('changed')
        await types.delete('bank')
        expect(await there.get('bank', undefined)).to.equal(undefined)
        const written = await Promise.all([types.put(ENTRY), there.put(ENTRY)])
        expect([...written].sort()).to.deep.equal([false, true])
      })
    }
  })
})
