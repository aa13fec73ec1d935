import { Ajv } from 'ajv'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import { MANIFEST_SCHEMA } from '../../../src/apps/manifest.schema.ts'

describe('the schema of manifests', () => {
  it("is a valid one in Ajv's strict mode, which a start does not look at", () => {
    const isValid = new Ajv({ strict: true, allErrors: true }).compile(MANIFEST_SCHEMA)
    expect(isValid({ slug: 'a', name: 'A', permissions: {}, routes: {} })).to.equal(false)
    expect(isValid.errors?.map(({ keyword }) => keyword)).to.deep.equal(['minProperties'])
  })
})
