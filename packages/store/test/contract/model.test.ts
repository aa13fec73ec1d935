import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Change, type Clock, indexKey, recordKey, type Store } from '../../src/index.ts'
import { redisStore } from '../../src/redis/index.ts'
import { sqliteStore } from '../../src/sqlite/index.ts'
import { redisForSuite } from '../redis-for-suite.ts'
import { Model, type ModelChange } from './model.ts'

const MINUTE_MS = 60_000
const RUNS = 300

type Step =
  | { readonly do: 'write'; readonly changes: readonly ModelChange[] }
  | { readonly do: 'take' | 'get'; readonly id: string }
  | { readonly do: 'hit'; readonly id: string; readonly by: number; readonly windowMs: number }
  | { readonly do: 'list'; readonly index: string; readonly limit: number; readonly desc: boolean }
  | { readonly do: 'wait'; readonly ms: number }

const id = fc.constantFrom('a', 'b', 'c', 'ä')
const index = fc.constantFrom('all', 'all2')
const sort = fc.constantFrom('', '1', '10', '2', 'é', '😀')
// Relative to the clock at the step; turned into instants when it runs.
const lifetimeMs = fc.constantFrom(undefined, -1, 0, 1, MINUTE_MS, 10 * MINUTE_MS)
const change: fc.Arbitrary<ModelChange> = fc.record({
  op: fc.constantFrom('put', 'put', 'put', 'delete', 'touch', 'revise', 'check'),
  id,
  value: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<ModelChange['value']>,
  expiresAt: lifetimeMs,
  entries: fc.array(fc.tuple(index, sort), { maxLength: 3 }),
  condition: fc.constantFrom(
    'none',
    'none',
    'ifAbsent',
    'ifPresent',
    'ifRevision',
    'ifOldRevision',
  ),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      changes: fc.uniqueArray(change, { minLength: 1, maxLength: 3, selector: (one) => one.id }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('take' as const, 'get' as const), id }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('hit' as const),
      id,
      by: fc.integer({ min: -2, max: 3 }),
      windowMs: fc.constantFrom(1, MINUTE_MS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      index,
      limit: fc.integer({ min: 1, max: 4 }),
      desc: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, MINUTE_MS - 1, MINUTE_MS, 10 * MINUTE_MS, -10 * MINUTE_MS),
    }),
  },
)

describe('any sequence of calls', function () {
  this.timeout(60_000)

  it('does on SQLite what plain maps do', async () => {
    await agrees((clock) => sqliteStore({ file: ':memory:', clock }))
  })

  describe('on Redis', () => {
    const server = redisForSuite(['--appendfsync', 'no'])

    it('does what plain maps do', async () => {
      await agrees((clock) => redisStore({ url: server().url, clock }))
    })
  })
})

async function agrees(open: (clock: Clock) => Store): Promise<void> {
  let now = Date.now()
  const store = open({ now: () => now })
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const model = new Model(Date.now())
        const instance = randomBytes(9).toString('base64url')
        for (const one of steps) {
          if (one.do === 'wait') model.now += one.ms
          now = model.now
          await runStep(store, model, instance, one)
        }
      }),
      { numRuns: RUNS },
    )
  } finally {
    await store.close()
  }
}

async function runStep(store: Store, model: Model, instance: string, one: Step): Promise<void> {
  const key = (name: string) => recordKey(instance, 'thing', name)
  switch (one.do) {
    case 'write': {
      const changes = one.changes.map((planned): ModelChange => {
        const { op, expiresAt } = planned
        const lifetime = op === 'touch' ? (expiresAt ?? MINUTE_MS) : expiresAt
        return { ...planned, expiresAt: lifetime === undefined ? undefined : model.now + lifetime }
      })
      const failing = model.failing(changes)
      const result = await store.write(changes.map((planned) => toChange(model, instance, planned)))
      if (failing !== undefined) {
        expect(result).to.deep.equal({ written: false, failed: key(failing) })
      } else {
        expect(result.written).to.equal(true)
        if (result.written) model.apply(changes, result.revision)
      }
      return
    }
    case 'get':
    case 'take': {
      const found = await store[one.do](key(one.id))
      const expected = one.do === 'get' ? model.live(one.id) : model.take(one.id)
      expect(found?.value).to.deep.equal(throughJson(expected?.value))
      expect(found?.revision).to.equal(expected?.revision)
      expect(found?.expiresAt).to.equal(expected?.expiresAt)
      return
    }
    case 'hit': {
      const hit = await store.hit(key(one.id), one.windowMs, one.by)
      expect(hit).to.deep.equal(model.hit(one.id, one.windowMs, one.by))
      return
    }
    case 'list': {
      const expected = model.list(one.index).map(key)
      expect(await walk(store, instance, one)).to.deep.equal(
        one.desc ? expected.reverse() : expected,
      )
      return
    }
    case 'wait':
      return
  }
}

function toChange(model: Model, instance: string, planned: ModelChange): Change {
  const { op, id: name, value, expiresAt, entries, condition } = planned
  const ifRevision = model.demanded(name, condition)
  const base = {
    key: recordKey(instance, 'thing', name),
    ...(condition === 'ifAbsent' && { ifAbsent: true as const }),
    ...(condition === 'ifPresent' && { ifPresent: true as const }),
    ...(ifRevision !== undefined && { ifRevision }),
  }
  const indexes = entries.map(([one, at]) => ({ index: indexKey(instance, one), sort: at }))
  if (op === 'put') return { op, ...base, value, indexes, ...(expiresAt && { expiresAt }) }
  if (op === 'touch') return { op, ...base, expiresAt: expiresAt ?? 0 }
  if (op === 'revise') return { op, ...base, value }
  return { op, ...base }
}

async function walk(
  store: Store,
  instance: string,
  { index: name, limit, desc }: Extract<Step, { do: 'list' }>,
): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const order = desc ? 'desc' : 'asc'
    const page = await store.list(indexKey(instance, name), {
      limit,
      order,
      ...(cursor !== undefined && { cursor }),
    })
    keys.push(...page.records.map((record) => record.key))
    cursor = page.cursor
  } while (cursor !== undefined)
  return keys
}

function throughJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
