import { expect } from 'chai'
import { CATALOGUE, GROUPS } from '../../src/index.ts'

describe('the catalogue of checks', () => {
  it('has an id, a sentence, a rule, a reason and a remedy for each', () => {
    for (const { id, title, rules, why, remedy } of CATALOGUE) {
      expect(id).to.match(/^[A-Z]{3}-\d{3}$/)
      for (const text of [title, why, remedy]) expect(text, id).to.match(/^[A-Za-z0-9].*\.$/s)
      expect(rules, id).to.not.be.empty
    }
  })

  it('uses no id twice, and no title in a group', () => {
    expect(repeated(CATALOGUE.map(({ id }) => id))).to.deep.equal([])
    for (const { checks } of GROUPS) {
      expect(repeated(checks.map(({ title }) => title))).to.deep.equal([])
    }
  })

  it('has its checks in groups of their name, and enough of them', () => {
    for (const { name, checks } of GROUPS) {
      expect(checks.length, name).to.be.at.least(8)
      expect(
        checks.every(({ id }) => id.startsWith(`${name}-`)),
        name,
      ).to.equal(true)
    }
    expect(CATALOGUE.length).to.be.at.least(332 + 68)
  })

  it('names no product in its texts', () => {
    const texts = CATALOGUE.flatMap(({ title, why, remedy }) => [title, why, remedy])
    expect(texts.filter((text) => /\bsvc\b/i.test(text.replaceAll('io.svc.', '')))).to.deep.equal(
      [],
    )
  })
})

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, at) => values.indexOf(value) !== at)
}
