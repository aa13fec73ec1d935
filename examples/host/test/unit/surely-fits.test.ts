import { Ajv } from 'ajv'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { describe, it } from 'mocha'
import { MANIFEST_SCHEMA } from '../../src/apps/manifest.schema.ts'
import { fileSchema, listEntries } from '../../src/config/entries.ts'
import { surelyFits } from '../../src/config/surely-fits.ts'

const MANIFEST = {
  slug: 'notes',
  name: 'Notes',
  version: '1.0.0',
  icon: 'icons/notes.svg',
  permissions: {
    notes: { type: 'io.svc.notes', verbs: ['GET', 'POST'], description: 'Shows notes.' },
  },
  routes: { '/': { folder: '/', index: 'index.html', public: false } },
  notifications: { reminders: { description: 'Reminds of notes.' } },
}

const SETTINGS = {
  port: 8080,
  mail: { from: 'server@example.com', fromName: 'Server' },
  log: { level: 'info' },
  limits: { requestsPerMinute: 600 },
  drain: '5s',
  demo: true,
}

type Path = readonly string[]
type Tree = Readonly<Record<string, unknown>>

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null
}

/** Every place of a value, the value itself included. */
function placesOf(value: unknown, path: Path = []): readonly Path[] {
  const below = isTree(value) ? Object.entries(value) : []
  return [path, ...below.flatMap(([name, member]) => placesOf(member, [...path, name]))]
}

/** The value with another one in a place, or without it. */
function put(value: unknown, [name, ...rest]: Path, change: { readonly to?: unknown }): unknown {
  if (name === undefined) return change.to
  if (!isTree(value)) return value
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === name ? put(item, rest, change) : item))
  }
  const { [name]: member, ...others } = value
  if (rest.length === 0 && !('to' in change)) return others
  return { ...others, [name]: put(member, rest, change) }
}

const ODD = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '..', '/../x', '.hidden', '/kit', 'on', '5s', '5GiB', 'x'.repeat(501)),
  fc.integer({ min: -1, max: 70_000 }),
  fc.record({ __proto__: fc.jsonValue(), type: fc.constantFrom('', 'a') }, { requiredKeys: [] }),
)
const CHANGE = fc.oneof(
  fc.constant({}),
  ODD.map((to) => ({ to })),
)
const NAMES = fc.constantFrom('unknown', 'constructor', '/admin', '/kit/x', '/no spaces ', 'values')

/** Values near a good one: some of its places changed, removed or added. */
function near(good: unknown): fc.Arbitrary<unknown> {
  const places = fc.constantFrom(...placesOf(good))
  const change = fc.tuple(places, fc.option(NAMES, { nil: undefined }), CHANGE)
  return fc.array(change, { maxLength: 3 }).map((changes) =>
    // A parsed file has no place without a value.
    JSON.parse(
      JSON.stringify(
        changes.reduce(
          (value, [path, name, to]) => put(value, name === undefined ? path : [...path, name], to),
          good,
        ) ?? null,
      ),
    ),
  )
}

describe('surelyFits', () => {
  for (const [what, schema, good] of [
    ['manifests', MANIFEST_SCHEMA, MANIFEST],
    ['settings', fileSchema(), SETTINGS],
  ] as const) {
    const isValid = new Ajv({ strict: true }).compile(schema)

    it(`takes good ${what} without a compiler`, () => {
      expect(isValid(good), JSON.stringify(isValid.errors)).to.equal(true)
      expect(surelyFits(schema, good)).to.equal(true)
    })

    it(`answers as Ajv does to ${what}`, () => {
      const answers = new Set<boolean>()
      fc.assert(
        fc.property(near(good), (value) => {
          const answer = surelyFits(schema, value)
          answers.add(answer)
          expect(answer).to.equal(isValid(value))
        }),
        { numRuns: 2000 },
      )
      expect(answers.size).to.equal(2)
    })
  }

  it('takes the default of every setting', () => {
    const known = listEntries().filter(
      ({ entry }) => entry.type !== 'json' && entry.default !== undefined,
    )
    expect(known.length).to.be.greaterThan(20)
    for (const { path, entry } of known) {
      const given = put({}, [], {
        to: path
          .split('.')
          .reduceRight<unknown>((below, name) => ({ [name]: below }), entry.default),
      })
      expect(surelyFits(fileSchema(given), given), path).to.equal(true)
    }
  })

  it('is not sure about words that it does not know, whatever they say', () => {
    for (const schema of [
      { const: 1 },
      { type: 'number' },
      { type: ['string', 'integer'] },
      { type: 'string', format: 'uri' },
      { type: 'object', patternProperties: {} },
      { type: 'object', properties: { a: { not: {} } } },
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      { $ref: '#' },
      { type: 'string', enum: ['a'], if: {} },
    ]) {
      for (const value of ['a', 1, ['a'], { a: 'a' }]) {
        expect(surelyFits(schema, value), JSON.stringify(schema)).to.equal(false)
      }
    }
  })
})
