import { expect } from 'chai'
import * as library from 'oidc-provider'
import { type LoadLibrary, ProviderPool } from '../../../src/engine/provider-pool.ts'
import { OAuthError } from '../../../src/errors.ts'
import { DEFAULT_LIFETIMES } from '../../../src/lifetimes.ts'
import { testInstance } from '../../../../platform/test/support/test-instance.ts'

const alice = testInstance()
const bob = testInstance('bob.example.com')

function poolWith(load: LoadLibrary): ProviderPool {
  const adapter = (): never => {
    throw new Error('nothing is asked of the store')
  }
  return new ProviderPool({ adapter, lifetimes: DEFAULT_LIFETIMES, size: 4, load })
}

describe('ProviderPool', () => {
  it('loads the library with the first request, once for all that come meanwhile', async () => {
    let loads = 0
    const gate = Promise.withResolvers<typeof library>()
    const pool = poolWith(() => {
      loads += 1
      return gate.promise
    })
    expect(loads).to.equal(0)

    const asked = [pool.of(alice), pool.of(alice), pool.of(bob)]
    gate.resolve(library)
    const [first, second, other] = await Promise.all(asked)

    expect(loads).to.equal(1)
    expect(first).to.equal(second)
    expect(other).to.not.equal(first)
    expect(await pool.of(alice)).to.equal(first)
    expect(loads).to.equal(1)
  })

  it('answers 503 to all that waited for a library that cannot be loaded, and loads it anew', async () => {
    const cause = new Error('too many open files')
    const loads = [Promise.reject(cause), Promise.resolve(library)]
    const pool = poolWith(() => loads.shift() ?? Promise.reject(new Error('loaded once more')))
    const asked = [pool.of(alice), pool.of(bob)]

    for (const refused of await Promise.allSettled(asked)) {
      const { reason } = refused as PromiseRejectedResult
      expect(reason).to.be.instanceOf(OAuthError)
      expect(reason).to.include({ code: 'temporarily_unavailable', status: 503, cause })
      expect((reason as OAuthError).headers).to.deep.equal({ 'Retry-After': '1' })
    }
    expect((await pool.of(alice)).provider).to.be.instanceOf(library.Provider)
    expect((await pool.of(bob)).provider).to.be.instanceOf(library.Provider)
    expect(loads).to.deep.equal([])
  })
})
