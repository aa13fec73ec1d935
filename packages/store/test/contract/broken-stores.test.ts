import { expect } from 'chai'
import { type MakeStore, testStore, type TestStoreOptions } from '../../src/contract.ts'
import { BROKEN_STORES, goodStore } from './broken-stores.ts'

/** The cases of the contract, by title. */
function casesOf(
  make: MakeStore,
  options?: TestStoreOptions,
): ReadonlyMap<string, () => Promise<void>> {
  const cases = new Map<string, () => Promise<void>>()
  const runner = {
    describe: (_name: string, define: () => void) => define(),
    it: (title: string, run: () => Promise<void>) => cases.set(title, run),
  }
  testStore(runner, 'a store', make, options)
  return cases
}

function caseOf(cases: ReadonlyMap<string, () => Promise<void>>, title: string) {
  const found = cases.get(title)
  if (found === undefined) throw new Error(`the contract has no case "${title}"`)
  return found
}

describe('testStore', () => {
  for (const { breaks, make, options, refusedBy } of BROKEN_STORES) {
    it(`refuses a store of which ${breaks}`, async () => {
      const cases = casesOf(make, { patienceMs: 1500, ...options })
      for (const title of refusedBy) {
        const failed = await caseOf(cases, title)().then(
          () => false,
          () => true,
        )
        expect(failed, title).to.equal(true)
      }
    })
  }

  it('accepts the engine that they wrap in each of these cases', async () => {
    const cases = casesOf(goodStore)
    const titles = BROKEN_STORES.filter(({ options }) => options === undefined).flatMap(
      ({ refusedBy }) => refusedBy,
    )
    for (const title of titles) await caseOf(cases, title)()
  })
})
