import { createOAuth } from '@svc/oauth-core'
import { sqliteStore } from '@svc/store/sqlite'
import { expect } from 'chai'
import { after, describe, it } from 'mocha'
import * as exported from '../../src/index.ts'
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
      aliases: { 'io.svc.a': 'b*' },
      settingsSlug: '-',
      channels: 'none',
      lifetimes: { ping: -1, never: 1, shutdown: 5001 },
      limits: { messages: 1.5, toString: 1 },
    } as unknown as RealtimeOptions // Wrong on purpose.
    expect(() => createRealtime(options)).to.throw(
      TypeError,
      /^options\.subprotocols: "not fine" is not a token; options\.allowedOrigins: "https:\/\/a\.example\/" is not an origin; options\.freeTypes: "A" is not a doctype; options\.reservedTypes: "\*" is not a doctype; options\.aliases: "b\*" is not a doctype; options\.lifetimes\.ping: not a whole number up to 2147483647; options\.lifetimes\.never: not an option; options\.limits\.messages: not a whole number up to 1000000000; options\.limits\.toString: not an option; options\.settingsSlug: not a slug; options\.lifetimes\.shutdown: more than 5000; options\.channels: neither instance nor global$/,
    )
    expect(() => createRealtime({} as RealtimeOptions)).to.throw(TypeError, 'options.oauth')
  })

  it('refuses a type of the server that is no doctype', () => {
    expect(() => createRealtime({ oauth, serverTypes: ['io.svc.*'] })).to.throw(
      TypeError,
      /^options\.serverTypes: "io\.svc\.\*" is not a doctype$/,
    )
  })
})

describe('@svc/realtime', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(exported).sort()).to.deep.equal([
      'DEFAULT_LIFETIMES',
      'DEFAULT_LIMITS',
      'ERRORS',
      'RealtimeError',
      'createRealtime',
    ])
  })
})
