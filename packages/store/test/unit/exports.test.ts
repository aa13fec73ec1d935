import { expect } from 'chai'

const EXPORTS: readonly [subpath: string, file: string, names: string[]][] = [
  [
    '.',
    '../../src/index.ts',
    [
      'STORE_LOG_EVENTS',
      'StoreUnavailableError',
      'describeError',
      'ensurePrivateFile',
      'indexKey',
      'isLongInteger',
      'makePrivateFolder',
      'openNewFile',
      'openPresentFile',
      'parseExact',
      'readPrivateFile',
      'recordKey',
      'secretKey',
      'silentLog',
      'systemClock',
      'writeNewFile',
    ],
  ],
  ['./node-version', '../../src/entry/node-version.ts', ['nodeFault']],
  [
    './options',
    '../../src/options/index.ts',
    [
      'Option',
      'OptionsError',
      'defineOptions',
      'either',
      'fitsSchema',
      'flag',
      'func',
      'group',
      'hooks',
      'instance',
      'integer',
      'list',
      'milliseconds',
      'nearestName',
      'object',
      'oneOf',
      'port',
      'record',
      'text',
    ],
  ],
  ['./sqlite', '../../src/sqlite/index.ts', ['dumpSqliteFile', 'readFileVersion', 'sqliteStore']],
  [
    './redis',
    '../../src/redis/index.ts',
    ['checkRedisIndexes', 'probeRedis', 'redisOptionsFromUrl', 'redisStore', 'saveRedisSnapshot'],
  ],
  ['./contract', '../../src/contract.ts', ['testStore']],
  [
    './testing',
    '../../src/testing/index.ts',
    [
      'freePort',
      'hasRedisServer',
      'sendToRedis',
      'startBlackHole',
      'startRedisCluster',
      'startRedisServer',
    ],
  ],
]

describe('@svc/store', () => {
  for (const [subpath, file, names] of EXPORTS) {
    it(`exports exactly ${names.join(', ')} from ${subpath}`, async () => {
      const module: object = await import(file)
      expect(Object.keys(module).toSorted()).to.deep.equal(names)
    })
  }
})
