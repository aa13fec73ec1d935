import assert from 'node:assert/strict'
import { recordKey, secretKey } from '../keys.ts'
import type { Change, Condition, Key, Revision } from '../store.ts'
import { type DefinePart, part, type Subject } from './suite.ts'

const MINUTE_MS = 60_000
type State = 'absent' | 'dead' | 'live'

// Which states let each condition pass.
const CONDITIONS: readonly [name: string, make: (live: Revision) => Condition, passes: State[]][] =
  [
    ['no condition', () => ({}), ['absent', 'dead', 'live']],
    ['ifAbsent', () => ({ ifAbsent: true }), ['absent', 'dead']],
    ['ifPresent', () => ({ ifPresent: true }), ['live']],
    ['ifRevision of the record', (live) => ({ ifRevision: live }), ['live']],
    // No store makes this revision.
    ['another ifRevision', () => ({ ifRevision: 'other' as Revision }), []],
    ['ifPresent and ifRevision', (live) => ({ ifPresent: true, ifRevision: live }), ['live']],
    ['ifAbsent and ifPresent', () => ({ ifAbsent: true, ifPresent: true }), []],
  ]

const OPERATIONS = ['put', 'delete', 'touch', 'revise', 'check'] as const

/** Conditional and all-or-nothing writes, and the calls that are mistakes. */
export const testConditions: DefinePart = part('write', (it) => {
  for (const [name, condition, passes] of CONDITIONS) {
    for (const state of ['absent', 'dead', 'live'] as const) {
      const verb = passes.includes(state) ? 'writes' : 'refuses'
      it(`${verb} with ${name} when the record is ${state}`, async (subject) => {
        for (const op of OPERATIONS) {
          // What is not there cannot be revised.
          const outcome = op === 'revise' && state !== 'live' ? 'refuses' : verb
          await tryCondition(subject, op, condition, state, outcome)
        }
      })
    }
  }

  it('writes all of several changes', async ({ store, key }) => {
    await store.write([
      { op: 'put', key: key('a'), value: 1 },
      { op: 'put', key: key('b'), value: 1 },
    ])
    const written = await store.write([
      { op: 'put', key: key('a'), value: 2, ifPresent: true },
      { op: 'delete', key: key('b') },
      { op: 'put', key: key('c'), value: 3, ifAbsent: true },
      { op: 'check', key: key('d'), ifAbsent: true },
    ])
    assert.equal(written.written, true)
    const found = await store.getMany([key('a'), key('b'), key('c'), key('d')])
    assert.deepEqual(
      found.map((record) => record?.value),
      [2, undefined, 3, undefined],
    )
  })

  it('writes none of several changes when one may not be', async ({ store, key, index }) => {
    const all = index('all')
    await store.write([{ op: 'put', key: key('b'), value: 1 }])
    const refused = await store.write([
      { op: 'put', key: key('a'), value: 2, indexes: [{ index: all, sort: '1' }] },
      { op: 'delete', key: key('b') },
      { op: 'check', key: key('c'), ifPresent: true },
      { op: 'check', key: key('d'), ifPresent: true },
    ])
    assert.deepEqual(refused, { written: false, failed: key('c') })
    assert.equal(await store.get(key('a')), undefined)
    assert.equal((await store.get(key('b')))?.value, 1)
    assert.deepEqual((await store.list(all)).records, [])
  })

  it('never gives a revision twice', async ({ store, key }) => {
    const seen = new Set<string>()
    for (let round = 0; round < 20; round++) {
      const put = await store.write([{ op: 'put', key: key('a'), value: 1 }])
      assert.equal(put.written, true)
      seen.add(put.revision)
      if (round % 3 === 0) await store.write([{ op: 'delete', key: key('a') }])
    }
    assert.equal(seen.size, 20)
  })

  it('writes 128 changes at once, and nothing', async ({ store, key }) => {
    const changes = Array.from({ length: 128 }, (_, n): Change => {
      return { op: 'put', key: key(String(n)), value: n }
    })
    assert.equal((await store.write(changes)).written, true)
    assert.equal((await store.get(key('127')))?.value, 127)
    assert.equal((await store.write([])).written, true)
  })

  for (const [fault, call] of MISTAKES) {
    it(`rejects ${fault} with a TypeError and writes nothing`, async (subject) => {
      await assert.rejects(call(subject), TypeError)
      assert.equal(await subject.store.get(subject.key('a')), undefined)
    })
  }
})

async function tryCondition(
  { store, clock, key }: Subject,
  op: (typeof OPERATIONS)[number],
  condition: (live: Revision) => Condition,
  state: State,
  verb: string,
): Promise<void> {
  const target = key(op)
  const put = await store.write([
    { op: 'put', key: target, value: 'old', expiresAt: clock.now() + MINUTE_MS },
  ])
  assert.equal(put.written, true)
  if (state === 'absent') await store.write([{ op: 'delete', key: target }])
  if (state === 'dead') clock.advance(2 * MINUTE_MS)
  const before = await store.get(target)
  const expiresAt = clock.now() + MINUTE_MS
  const change: Change = { op, key: target, value: 'new', expiresAt, ...condition(put.revision) }
  const result = await store.write([change])
  const after = await store.get(target)
  if (verb === 'refuses') {
    assert.deepEqual(result, { written: false, failed: target })
    assert.deepEqual(after, before)
    return
  }
  assert.equal(result.written, true)
  const kept = state === 'live' ? 'old' : undefined
  const values = { put: 'new', delete: undefined, touch: kept, revise: 'new', check: kept }
  assert.equal(after?.value, values[op])
}

const put = (key: Key): Change => ({ op: 'put', key, value: 1 })

const MISTAKES: readonly [fault: string, call: (subject: Subject) => Promise<unknown>][] = [
  [
    'keys of two instances',
    ({ store, key }) => store.write([put(key('a')), put(recordKey('other', 'thing', 'a'))]),
  ],
  ['a key twice', ({ store, key }) => store.write([put(key('a')), put(key('a'))])],
  [
    '129 changes',
    ({ store, key }) =>
      store.write(
        ['a', ...Array.from({ length: 128 }, (_, n) => `${n}`)].map((id) => put(key(id))),
      ),
  ],
  [
    'an index of another instance',
    ({ store, key, index }) => {
      // Built by hand on purpose.
      const foreign = index('all').replace('{', '{x') as ReturnType<typeof index>
      return store.write([
        { op: 'put', key: key('a'), value: 1, indexes: [{ index: foreign, sort: '' }] },
      ])
    },
  ],
  ...['\u0000', '\n', '\ud800', 'x'.repeat(257), 'é'.repeat(129)].map(
    (sort): (typeof MISTAKES)[number] => [
      `the sort ${JSON.stringify(sort).slice(0, 20)}`,
      ({ store, key, index }) =>
        store.write([
          { op: 'put', key: key('a'), value: 1, indexes: [{ index: index('all'), sort }] },
        ]),
    ],
  ),
  ...[1.5, Number.NaN, Number.POSITIVE_INFINITY].map((expiresAt): (typeof MISTAKES)[number] => [
    `the expiry ${expiresAt}`,
    ({ store, key }) => store.write([{ op: 'put', key: key('a'), value: 1, expiresAt }]),
  ]),
  // What callers without types may pass.
  [
    'no value',
    ({ store, key }) => store.write([{ op: 'put', key: key('a') } as unknown as Change]),
  ],
  [
    'no value of a revision',
    ({ store, key }) => store.write([{ op: 'revise', key: key('a') } as unknown as Change]),
  ],
  ['no operation', ({ store, key }) => store.write([{ key: key('a') } as unknown as Change])],
  ['a key built elsewhere', ({ store }) => store.get('thing:a' as Key)],
  ['a short write id', ({ store, key }) => store.write([put(key('a'))], { id: 'short' })],
  [
    'getMany of two instances',
    ({ store, key }) => store.getMany([key('a'), recordKey('other', 'thing', 'a')]),
  ],
  [
    'getMany of 101 keys',
    ({ store, key }) => store.getMany(Array.from({ length: 101 }, (_, n) => key(String(n)))),
  ],
  ['an empty id', ({ store }) => storeGet(store, () => recordKey('i', 'thing', ''))],
  [
    'an id with a control character',
    ({ store }) => storeGet(store, () => recordKey('i', 'thing', 'a\n')),
  ],
  ['an instance with a brace', ({ store }) => storeGet(store, () => secretKey('a}', 'thing', 's'))],
]

async function storeGet(store: Subject['store'], key: () => Key): Promise<unknown> {
  return store.get(key())
}
