import { Ajv } from 'ajv'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { fitsSchema, type JsonSchema } from '../../../src/options/index.ts'

const SCHEMAS: readonly JsonSchema[] = [
  { type: 'boolean' },
  { type: 'integer' },
  { type: 'integer', minimum: 1, maximum: 10 },
  { type: 'integer', minimum: 0, maximum: 60_000, multipleOf: 1000 },
  { type: 'string' },
  { type: 'string', minLength: 1, maxLength: 3 },
  { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
  { type: 'string', enum: ['nested', 'flat'] },
]

const VALUES = fc.oneof(
  fc.jsonValue(),
  fc.integer({ min: -2, max: 12 }),
  fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * 1000),
  fc.string({ maxLength: 4, unit: 'binary' }),
  fc.stringMatching(/^[a-z][a-z0-9_]*$/),
  fc.constantFrom('nested', 'flat', 'Flat', ''),
)

describe('fitsSchema', () => {
  const ajv = new Ajv({ strict: true })
  for (const schema of SCHEMAS) {
    it(`answers as ajv does to ${JSON.stringify(schema)}`, () => {
      const check = ajv.compile(schema)
      fc.assert(
        fc.property(VALUES, (value) => {
          // Those are the next test's.
          fc.pre(!Number.isInteger(value) || Number.isSafeInteger(value))
          expect(fitsSchema(schema, value)).to.equal(check(value))
        }),
      )
    })
  }

  it('takes no number that JSON would lose', () => {
    expect(fitsSchema({ type: 'integer' }, 2 ** 53)).to.equal(false)
    expect(fitsSchema({ type: 'integer' }, Number.NaN)).to.equal(false)
  })
})
