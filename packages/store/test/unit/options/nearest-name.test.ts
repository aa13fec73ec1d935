import { expect } from 'chai'
import { nearestName } from '../../../src/options/index.ts'

const KNOWN = ['trustProxy', 'store', 'lock', 'limit', 'p']

describe('nearestName', () => {
  const rows: readonly [name: string, meant: string | undefined][] = [
    ['trustproxy', 'trustProxy'],
    ['trustProxi', 'trustProxy'],
    ['turstProxy', 'trustProxy'],
    ['trustProx', 'trustProxy'],
    ['trustProxies', 'trustProxy'],
    ['proxy', undefined],
    ['tsore', 'store'],
    ['lok', 'lock'],
    ['limits', 'limit'],
    ['q', 'p'],
    ['telephone', undefined],
    ['', undefined],
  ]
  for (const [name, meant] of rows) {
    it(`takes "${name}" for ${meant ?? 'nothing known'}`, () => {
      expect(nearestName(name, KNOWN)).to.equal(meant)
    })
  }
})
