import { expect } from 'chai'
import { redisOptionsFromUrl, redisStore, type RedisTarget } from '../../../src/redis/index.ts'

const A = { host: 'a', port: 1 }
const B = { host: 'b', port: 2 }

const ACCEPTED: readonly [url: string | string[], target: RedisTarget][] = [
  ['redis://localhost', { host: 'localhost' }],
  ['redis://10.0.0.1:6380/2', { host: '10.0.0.1', port: 6380, db: 2 }],
  ['redis://[::1]:6380', { host: '::1', port: 6380 }],
  ['rediss://cache.example:6390', { host: 'cache.example', port: 6390, tls: true }],
  ['redis://user:p%40ss:word@h', { host: 'h', username: 'user', password: 'p@ss:word' }],
  ['redis://:secret@h/0', { host: 'h', password: 'secret', db: 0 }],
  ['redis://a:1,redis://b:2, redis://c', { nodes: [A, B, { host: 'c' }] }],
  [
    ['rediss://u:p@a:1', 'rediss://b'],
    { nodes: [A, { host: 'b' }], tls: true, username: 'u', password: 'p' },
  ],
  ['redis+cluster://a', { nodes: [{ host: 'a' }] }],
  ['redis+cluster://a:1,b:2', { nodes: [A, B] }],
  [
    'redis+sentinel://h1,h2:26380/mymaster',
    { sentinels: [{ host: 'h1' }, { host: 'h2', port: 26380 }], master: 'mymaster' },
  ],
  [
    'rediss+sentinel://:pw@h1/my%20master/3?sentinelPassword=s%26p',
    {
      sentinels: [{ host: 'h1' }],
      master: 'my master',
      password: 'pw',
      db: 3,
      tls: true,
      sentinelPassword: 's&p',
    },
  ],
]

const REFUSED: readonly (string | string[])[] = [
  '',
  'localhost:6379',
  'http://localhost',
  'redis://',
  'redis://host:99999',
  'redis://host:port',
  'redis://host/name',
  'redis://a:secret%ZZ@h',
  'redis://a/1,redis://b/1',
  'redis+cluster://a/1',
  'redis+sentinel://a',
  'redis+sentinel://a,,b/m',
  ['redis://a', 'redis+sentinel://b/m'],
  [],
]

describe('redisOptionsFromUrl', () => {
  for (const [url, target] of ACCEPTED) {
    it(`reads ${String(url)}`, () => {
      expect(redisOptionsFromUrl(url)).to.deep.equal(target)
    })
  }

  for (const url of REFUSED) {
    it(`refuses ${JSON.stringify(url)}, without telling the password`, () => {
      expect(() => redisOptionsFromUrl(url))
        .to.throw(TypeError)
        .with.property('message')
        .that.does.not.include('secret')
    })
  }
})

describe('redisStore', () => {
  for (const options of [
    {},
    { url: 'redis://a', nodes: [{ host: 'b' }] },
    { nodes: [] },
    { sentinels: [{ host: 'a' }] },
    { host: 'a', waitReplicas: { count: 0 } },
    { host: 'a', waitReplicas: { count: 1, timeoutMs: 5000 } },
    { host: 'a', commandTimeoutMs: 99 },
    { host: 'a', commandTimeoutMs: 60_001 },
    { host: 'a', commandTimeoutMs: 2000.5 },
  ]) {
    it(`refuses ${JSON.stringify(options)} with a TypeError`, () => {
      expect(() => redisStore(options)).to.throw(TypeError)
    })
  }
})
