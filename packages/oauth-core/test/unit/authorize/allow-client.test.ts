import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { osOfUserAgent } from '../../../src/authorize/allow-client.ts'

describe('osOfUserAgent', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
      'Windows',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'macOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
      'Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'iOS',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'Linux'],
    ['', undefined],
    ['curl/8', undefined],
    ['\u0000\uffff(((', undefined],
  ]
  for (const [userAgent, os] of cases) {
    it(`says ${os} for ${JSON.stringify(userAgent.slice(0, 40))}`, () => {
      expect(osOfUserAgent(userAgent)).to.equal(os)
    })
  }

  it('judges 50 KB in 50 ms', async () => {
    osOfUserAgent('warm up')
    const tookMs = await cpuMs(() => {
      osOfUserAgent(`Mozilla/5.0 (${'Windows '.repeat(6_000)}`)
      osOfUserAgent(' '.repeat(50_000))
    })
    expect(tookMs).to.be.below(scaledLimit(50))
  })
})
