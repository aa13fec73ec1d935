import { expect } from 'chai'
import { fetchMetadata, type Initiator, sameSiteContext } from '../../src/fetch-metadata.ts'

const TARGET = new URL('https://alice.example.com/auth/login')

const CASES: readonly (readonly [
  method: string,
  initiator: Initiator,
  site: string,
  origin: string | undefined,
  sameSite: string,
])[] = [
  ['GET', {}, 'none', undefined, 'strict'],
  ['GET', { from: 'same-origin' }, 'same-origin', undefined, 'strict'],
  ['POST', { from: 'same-origin' }, 'same-origin', TARGET.origin, 'strict'],
  ['GET', { from: 'https://home.alice.example.com' }, 'same-site', undefined, 'strict'],
  ['GET', { from: 'http://home.alice.example.com' }, 'cross-site', undefined, 'lax'],
  ['GET', { from: 'https://evil.example' }, 'cross-site', undefined, 'lax'],
  ['POST', { from: 'https://evil.example' }, 'cross-site', 'https://evil.example', 'none'],
  ['POST', { from: 'null' }, 'cross-site', 'null', 'none'],
  [
    'GET',
    { from: 'https://evil.example', mode: 'cors' },
    'cross-site',
    'https://evil.example',
    'none',
  ],
  ['GET', { from: 'same-origin', mode: 'cors' }, 'same-origin', undefined, 'strict'],
]

describe('fetchMetadata', () => {
  for (const [method, initiator, site, origin, sameSite] of CASES) {
    const name = `${initiator.mode ?? 'navigate'} ${method} from ${initiator.from ?? 'nowhere'}`
    it(`says what a browser says: ${name}`, () => {
      const headers = fetchMetadata(TARGET, method, initiator)
      expect(headers['sec-fetch-site']).to.equal(site)
      expect(headers['origin']).to.equal(origin)
      expect(sameSiteContext(TARGET, method, initiator)).to.deep.equal({
        sameSiteContext: sameSite,
      })
    })
  }
})
