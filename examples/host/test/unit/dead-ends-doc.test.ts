import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'

const E2E = new URL('../e2e/', import.meta.url)
const DOC = new URL('../../../../docs/dead-ends.md', import.meta.url)

describe('docs/dead-ends.md', () => {
  const documented = readFileSync(DOC, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| What happens'))
    .map((line) => line.split(' | ').at(-1) ?? '')
    .map((cell) => cell.replace(/ \|$/, '').replace(/ \(`[\w-]+`\)$/, ''))
  const tested = readdirSync(E2E)
    .filter((name) => name.startsWith('dead-ends-'))
    .flatMap((name) => {
      const source = readFileSync(new URL(name, E2E), 'utf8')
      return [...source.matchAll(/\bit\('([^']+)'/g)].map(([, title = '']) => title)
    })

  it('names the test of every case, and every test', () => {
    expect([...documented].sort()).to.deep.equal([...tested].sort())
    expect(documented.length).to.be.greaterThan(20)
  })
})
