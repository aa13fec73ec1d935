import { expect } from 'chai'
import { DEPRECATED_EVENT, faultsOfMarks } from '../../../../docs/build/deprecations.ts'

describe('marks of deprecation', () => {
  const KNOWN = { changelog: '`makeOAuth` is now `createOAuth`', events: [DEPRECATED_EVENT] }
  const GOOD = `/**
 * Makes a server.
 * @deprecated Use createOAuth instead. Since 0.5.0.
 * @param options - of it
 */
export function makeOAuth(options: object): void {}
`

  it('are enough with successor, version, change log and log event', () => {
    expect(faultsOfMarks(GOOD, KNOWN)).to.deep.equal([])
    expect(faultsOfMarks('export const deprecated = 1', KNOWN)).to.deep.equal([])
  })

  it('have to name successor and version', () => {
    for (const said of ['', 'Use createOAuth instead.', 'Since 0.5.0.']) {
      const text = GOOD.replace('Use createOAuth instead. Since 0.5.0.', said)
      expect(faultsOfMarks(text, KNOWN)).to.deep.equal([
        `@deprecated of makeOAuth has to say "Use … instead. Since 1.2.3."; it says "${said}"`,
      ])
    }
  })

  it('have to be in the change log and in the log, for members, too', () => {
    const member = `interface Options {
  /** @deprecated Use keys instead. Since 0.5.0. */
  readonly secret?: string
}`
    expect(faultsOfMarks(member, { ...KNOWN, events: [] })).to.deep.equal([
      'secret is deprecated, and CHANGELOG.md does not name it between back quotes',
      'secret is deprecated, and no package writes the log event deprecated.used',
    ])
  })
})
