import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { afterEach, beforeEach, describe, it } from 'mocha'
import {
  MANIFEST_SCHEMA,
  ManifestError,
  readAppPackage,
} from '../../../src/apps/manifest.schema.ts'

describe('the schema of manifests', () => {
  it("is a valid one in Ajv's strict mode, which a start does not look at", () => {
    const isValid = new Ajv({ strict: true, allErrors: true }).compile(MANIFEST_SCHEMA)
    expect(isValid({ slug: 'a', name: 'A', permissions: {}, routes: {} })).to.equal(false)
    expect(isValid.errors?.map(({ keyword }) => keyword)).to.deep.equal(['minProperties'])
  })
})

describe('the folder of an app', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-app-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (manifest: unknown): void =>
    writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
  const route = { folder: '/', index: 'index.html', public: false }
  const good = { slug: 'notes', name: 'Notes', permissions: {}, routes: { '/': route } }

  it('is read with its manifest', () => {
    write(good)
    expect(readAppPackage(folder)).to.deep.equal({ manifest: good, folder })
  })

  it('is refused with every fault of its manifest', () => {
    write({ ...good, name: 7, routes: { '/': { ...route, index: '' } } })
    expect(() => readAppPackage(folder)).to.throw(
      ManifestError,
      'manifest.json: /name must be string; /routes/~1/index must NOT have fewer than 1 characters',
    )
  })

  it('is refused without a manifest that can be read', () => {
    expect(() => readAppPackage(folder)).to.throw(ManifestError, 'no readable manifest.json')
  })
})
