import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createAccountTypes } from '@svc/connectors'
import { createSealer, type SealingKey } from '@svc/platform'
import { type Store, systemClock } from '@svc/store'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { type Config, ConfigError, loadConfig } from '../../src/config/config.ts'
import { developmentPushKeys } from '../../src/notifications/push-keys.ts'
import { openSealingKeys, readSealingKeys } from '../../src/storage/sealing-keys.ts'
import { closeAfterTest, testFolder } from '../support/for-test.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const good = Buffer.from(Array.from({ length: 32 }, (_, at) => at * 7 + 1)).toString('base64')

let folder: string
let store: Store
beforeEach(() => {
  folder = testFolder()
  store = sqliteStore({ file: ':memory:' })
  closeAfterTest(() => store.close())
})

function configOf(changes: Partial<Config> = {}): Config {
  return { ...loadConfig({ SVC_DATA_DIR: folder }), ...changes }
}

function faultsOf(thrown: unknown): readonly string[] {
  if (thrown instanceof ConfigError) return thrown.faults
  throw thrown
}

async function openKeys(
  changes: Partial<Config> = {},
  notice: (text: string) => void = () => {},
): Promise<readonly SealingKey[]> {
  const source = readSealingKeys(configOf(changes))
  return openSealingKeys(source, { store, notice, clock: systemClock })
}

async function fault(changes: Partial<Config> = {}): Promise<string> {
  const opened = openKeys(changes)
  const [only, ...more] = await opened.then(() => expect.fail('the keys were taken'), faultsOf)
  expect(more).to.deep.equal([])
  return only ?? ''
}

const keyText = (kid: string): string => `${kid}:${randomBytes(32).toString('base64')}`

describe('the sealing keys', () => {
  it('are made once, readable by the owner only, which is said', async () => {
    const notices: string[] = []
    const first = await openKeys({}, (text) => notices.push(text))
    const again = await openKeys({}, (text) => notices.push(text))
    expect(again).to.deep.equal(first)
    expect(first[0]?.key).to.have.lengthOf(32)
    expect(notices).to.have.lengthOf(1)
    expect(statSync(path.join(folder, 'keys')).mode & 0o777).to.equal(0o600)
  })

  it('may be several, the first one sealing', async () => {
    const keys = await openKeys({ keys: `new:${good},old:${good}` })
    expect(keys.map(({ kid }) => kid)).to.deep.equal(['new', 'old'])
  })

  it('are read from a file, one a line', async () => {
    const keysFile = path.join(folder, 'sealing')
    writeFileSync(keysFile, `one:${good}\ntwo:${good}\n`)
    const keys = await openKeys({ keysFile })
    expect(keys.map(({ kid }) => kid)).to.deep.equal(['one', 'two'])
  })

  const refused: [string, Partial<Config>][] = [
    ['none in production', { isProduction: true }],
    ['none with a Redis store', { store: 'redis://127.0.0.1' }],
    ['an empty list', { keys: ' , ' }],
    ['a key without a name', { keys: good }],
    ['a key of 31 bytes', { keys: `a:${Buffer.alloc(31, 7).toString('base64')}` }],
    ['a key that is all zeros', { keys: `a:${Buffer.alloc(32).toString('base64')}` }],
    ['a key that repeats itself', { keys: `a:${Buffer.alloc(32, 'example!').toString('base64')}` }],
    ['a file that is not there', { keysFile: '/nowhere/keys' }],
  ]
  for (const [what, changes] of refused) {
    it(`are refused when they are ${what}`, async () => {
      const said = await fault(changes)
      expect(said).to.match(/^SVC_KEYS/)
      expect(said).to.not.include(good)
    })
  }

  it('have to be those that the store was sealed with, and the fault says what to do', async () => {
    const old = keyText('k1')
    await openKeys({ keys: old })
    const missing = await fault({ keys: keyText('k2') })
    expect(missing).to.match(
      /^The store holds values sealed with the key "k1" \(first used \d{4}-\d{2}-\d{2}\), which SVC_KEYS does not have\. Put k1 back behind the first key\. "svc keys reseal" makes it unnecessary\. Nothing was changed\.$/,
    )
    expect(await fault({ keys: keyText('k1') })).to.match(
      /^"k1" in SVC_KEYS is not the key that the store was sealed with\./,
    )
    await openKeys({ keys: `${keyText('k2')},${old}` })
  })

  it('are not made anew where their file is lost', async () => {
    await openKeys()
    rmSync(path.join(folder, 'keys'))
    const said = await fault()
    expect(said).to.include('"k1"').and.include(path.join(folder, 'keys')).and.include('is gone')
    expect(existsSync(path.join(folder, 'keys'))).to.equal(false)
  })

  const sealers: [string, (key: SealingKey) => Promise<unknown>][] = [
    ['the push keys of development', (key) => developmentPushKeys(store, createSealer([key]))],
    [
      'an account type',
      (key) =>
        createAccountTypes({ store, sealer: createSealer([key]), log }).put({
          _id: 'photos',
          grant_mode: 'authorization_code',
          client_id: 'svc',
          client_secret: 'secret',
          auth_endpoint: 'https://photos.example/authorize',
          token_endpoint: 'https://photos.example/token',
        }),
    ],
  ]
  for (const [what, seal] of sealers) {
    it(`are asked for when only ${what} was sealed, before keys were noted`, async () => {
      const text = keyText('old')
      const [, base64 = ''] = text.split(':')
      await seal({ kid: 'old', key: Buffer.from(base64, 'base64') })
      expect(await fault({ keys: keyText('new') })).to.include('"old", which SVC_KEYS')
      expect(await fault({ keys: keyText('old') })).to.include('is not the key')
      expect(await fault()).to.include('is gone')
      await openKeys({ keys: `${keyText('new')},${text}` })
    })
  }
})
