import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type FakeClock, fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import {
  type AccountTypesFile,
  accountTypesFromFile,
} from '../../../src/account-types/account-types-file.ts'
import { secretsForConnector } from '../../../src/account-types/secrets.ts'
import { ConnectorError } from '../../../src/connector-error.ts'
import { type RecordedLog, recordedLog } from '../../support/recorded-log.ts'

const BANK = {
  _id: 'bank',
  slug: 'bank',
  grant_mode: 'authorization_code',
  client_id: 'id',
  client_secret: 's3cret',
  auth_endpoint: 'https://bank.example.com/authorize',
  token_endpoint: 'https://bank.example.com/token',
}

describe('accountTypesFromFile (connectors.md 3.1, 3.2)', () => {
  let folder: string
  let file: string
  let clock: FakeClock
  let log: RecordedLog
  let types: AccountTypesFile

  const write = (value: unknown) => writeFile(file, JSON.stringify(value))
  const clientId = async (name = 'bank', context?: string) =>
    (await types.get(name, context))?.clientId

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-account-types-'))
    file = path.join(folder, 'types.json')
    clock = fakeClock()
    clock.stop()
    log = recordedLog()
    types = accountTypesFromFile({ file, clock, log })
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('reads entries, their contexts and their slugs', async () => {
    await write([
      { ...BANK, _id: 'work/bank', client_id: 'work-id' },
      { _id: 'vault', slug: 'vault', grant_mode: 'secret', secret: { pin: 7 } },
      BANK,
      { ...BANK, _id: 'bank-b' },
      { ...BANK, _id: 'home/bank-b' },
    ])
    expect(await clientId()).to.equal('id')
    expect(await clientId('bank', 'work')).to.equal('work-id')
    expect(await clientId('bank', 'home')).to.equal('id')
    expect(await clientId('work/bank')).to.equal(undefined)
    expect(await clientId('nobody')).to.equal(undefined)
    const ids = async (context?: string) =>
      (await types.findBySlug('bank', context)).map(({ id }) => id)
    expect(await ids()).to.deep.equal(['bank', 'bank-b'])
    expect(await ids('work')).to.deep.equal(['work/bank', 'bank-b'])
    expect(await ids('home')).to.deep.equal(['home/bank-b', 'bank'])
    expect(await secretsForConnector(types, 'vault', undefined)).to.deep.equal({
      secret: { pin: 7 },
    })
    expect((await types.getRaw('work/bank'))?.client_secret).to.equal('s3cret')
    const listed = await types.list()
    expect(listed.map(({ _id }) => _id)).to.deep.equal([
      'bank',
      'bank-b',
      'home/bank-b',
      'vault',
      'work/bank',
    ])
    expect(JSON.stringify(listed)).not.to.include('s3cret')
  })

  it('refuses to write', async () => {
    await write([BANK])
    for (const attempt of [types.put(BANK), types.delete('bank')]) {
      const error: unknown = await attempt.catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(ConnectorError)
      expect((error as ConnectorError).status).to.equal(403)
    }
    expect(await clientId()).to.equal('id')
  })

  it('sees a change within a second, and does not look at the file more often', async () => {
    await write([BANK])
    expect(await clientId()).to.equal('id')
    await write([{ ...BANK, client_id: 'changed' }])
    clock.advance(1000)
    expect(await clientId()).to.equal('changed')
    const loaded = log.of('account_types.loaded').length
    clock.advance(1000)
    await Promise.all(Array.from({ length: 10 }, () => clientId()))
    expect(log.of('account_types.loaded')).to.have.length(loaded)
  })

  it('sees that another file took its place', async () => {
    await write([BANK])
    expect(await clientId()).to.equal('id')
    const next = path.join(folder, 'next.json')
    await writeFile(next, JSON.stringify([{ ...BANK, client_id: 'xx' }]))
    await rename(next, file)
    clock.advance(1000)
    expect(await clientId()).to.equal('xx')
  })

  it('keeps the last good file while a broken one is there, and logs every fault once', async () => {
    await write([BANK])
    expect(await types.reload()).to.equal(true)
    await write([
      { ...BANK, token_mode: 'digest', client_secret: 's3cret\n' },
      { ...BANK, _id: 'good' },
      { ...BANK, _id: 'good' },
      's3cret',
    ])
    clock.advance(1000)
    expect(await clientId()).to.equal('id')
    clock.advance(1000)
    expect(await clientId()).to.equal('id')
    expect(await clientId('good')).to.equal(undefined)
    const refusals = log.of('account_types.file_refused')
    expect(refusals).to.have.length(1)
    const faults = refusals[0]?.['faults'] as { index: number; field: string }[]
    expect(faults.map(({ index, field }) => `${index} ${field}`)).to.have.members([
      '0 token_mode',
      '0 client_secret',
      '2 _id',
      '3 ',
    ])
    await write([{ ...BANK, client_id: 'mended' }])
    clock.advance(1000)
    expect(await clientId()).to.equal('mended')
    expect(JSON.stringify(log.lines)).not.to.include('s3cret')
  })

  it('never quotes what cannot be read', async () => {
    for (const text of ['[{"client_secret":"s3cret"', '{"client_secret":"s3cret"}', 's3cret', '']) {
      await writeFile(file, text)
      expect(await types.reload(), text).to.equal(false)
    }
    expect(log.of('account_types.file_refused')).to.have.length(4)
    expect(JSON.stringify(log.lines)).not.to.include('s3cret')
  })

  it('fails rather than knowing no types when nothing could be read yet', async () => {
    const outcome = async () => clientId().catch(() => 'failed')
    expect(await outcome()).to.equal('failed')
    await writeFile(file, 'no JSON')
    clock.advance(1000)
    expect(await outcome()).to.equal('failed')
    await write([BANK])
    clock.advance(1000)
    expect(await outcome()).to.equal('id')
  })

  it('keeps what it has read when the file goes away, telling so once', async () => {
    await write([BANK])
    expect(await clientId()).to.equal('id')
    await rm(file)
    for (let n = 0; n < 3; n += 1) {
      clock.advance(1000)
      expect(await clientId()).to.equal('id')
    }
    expect(log.of('account_types.file_refused')).to.have.length(1)
    await write([{ ...BANK, client_id: 'back' }])
    clock.advance(1000)
    expect(await clientId()).to.equal('back')
  })
})
