import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { after, describe, it } from 'mocha'
import { createRealtime, type RealtimeOptions } from '../../src/index.ts'

const store = sqliteStore({ file: ':memory:' })
const apps = {
  installed: async () => undefined,
  listInstalled: async () => [],
  available: async () => undefined,
}

describe('createRealtime', () => {
  const oauth = createOAuth({ store, apps, keys: [{ kid: 'test', key: Buffer.alloc(32) }] })
  after(async () => {
    await oauth.close()
    await store.close()
  })

  it('names every fault of its options with its path', () => {
    const options = {
      oauth,
      subprotocols: ['fine', 'not fine'],
      allowedOrigins: ['https://a.example', 'https://a.example/'],
      freeTypes: ['A'],
      reservedTypes: ['*'],
      serverTypes: ['io.svc.*'],
      aliases: { 'io.svc.a': 'b*' },
      settingsSlug: '-',
      setingsSlug: 'settings',
      channels: 'none',
      lifetimes: { ping: -1, never: 1, shutdown: 5001 },
      limits: { messages: 1.5, toString: 1 },
    } as unknown as RealtimeOptions // Wrong on purpose.
    let message = ''
    try {
      createRealtime(options)
    } catch (error) {
      expect(error).to.be.instanceOf(TypeError)
      message = (error as TypeError).message
    }
    expect(message.split('\n')).to.deep.equal([
      'options.setingsSlug: unknown, did you mean settingsSlug?',
      'options.subprotocols[1]: must be a token',
      'options.allowedOrigins[1]: must be an origin',
      'options.aliases.io.svc.a: must be a doctype',
      'options.freeTypes[0]: must be a doctype',
      'options.reservedTypes[0]: must be a doctype',
      'options.serverTypes[0]: must be a doctype',
      'options.settingsSlug: must be a slug',
      'options.channels: must be "instance" or "global"',
      'options.lifetimes.never: unknown',
      'options.lifetimes.ping: must be a whole number of milliseconds from 0 to 2147483647',
      'options.lifetimes.shutdown: must be a whole number of milliseconds from 0 to 5000',
      'options.limits.toString: unknown',
      'options.limits.messages: must be a whole number from 0 to 1000000000',
    ])
    expect(() => createRealtime({} as RealtimeOptions)).to.throw(TypeError, 'options.oauth')
  })
})
