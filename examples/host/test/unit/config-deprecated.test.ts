import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { ConfigError } from '../../src/config/config.ts'
import { readDeprecatedApps } from '../../src/config/deprecated-apps.ts'
import { suiteFolder } from '../support/for-test.ts'

describe('readDeprecatedApps', () => {
  const folder = suiteFolder()

  function write(text: string): string {
    const file = path.join(folder, 'deprecated.json')
    writeFileSync(file, text)
    return file
  }

  it('reads a list, and knows none without a file', () => {
    const app = { softwareId: 'github.com/example/old', name: 'Old', storeUrls: { other: 'a:b' } }
    expect(readDeprecatedApps(write(JSON.stringify([app])))).to.deep.equal([app])
    expect(readDeprecatedApps(undefined)).to.deep.equal([])
  })

  it('refuses a file that is not there', () => {
    expect(() => readDeprecatedApps(path.join(folder, 'none.json'))).to.throw(
      ConfigError,
      'SVC_DEPRECATED_APPS_FILE: the file cannot be read',
    )
  })

  const refused: readonly [text: string, fault: string][] = [
    ['[', 'is no JSON'],
    ['{}', 'must be array'],
    ['[{ "name": "Old", "storeUrls": { "other": "a:b" } }]', "property 'softwareId'"],
    ['[{ "softwareId": "x", "name": "Old", "storeUrls": {} }]', "property 'other'"],
    ['[{ "softwareId": "x", "name": "", "storeUrls": { "other": "a:b" } }]', '/0/name'],
    ['[{ "softwareId": "x", "name": "Old", "storeUrls": { "other": 1 } }]', '/storeUrls/other'],
  ]
  for (const [text, fault] of refused) {
    it(`refuses ${text}`, () => {
      expect(() => readDeprecatedApps(write(text))).to.throw(ConfigError, fault)
    })
  }
})
