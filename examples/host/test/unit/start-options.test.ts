import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { describe, it } from 'mocha'

// Paths of this repository, seen from here.
const STARTS = [
  '../../package.json',
  '../../../../package.json',
  '../../../../.ci/bundle/assemble.ts',
  '../support/host-process.ts',
]

describe('what the host is started with', () => {
  for (const file of STARTS) {
    it(`bounds the space for new objects in ${file}`, async () => {
      const text = await readFile(new URL(file, import.meta.url), 'utf8')
      expect(text.match(/--max-semi-space-size=\d+/g)).to.deep.equal(['--max-semi-space-size=16'])
    })
  }
})
