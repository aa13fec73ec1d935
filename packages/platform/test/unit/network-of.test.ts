import { expect } from 'chai'
import { networkOf } from '../../src/index.ts'

describe('networkOf', () => {
  const networks: [string, string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff::2', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', 'unknown'],
    ['alice', 'unknown'],
  ]
  for (const [address, network] of networks) {
    it(`takes ${address || 'nothing'} for ${network}`, () => {
      expect(networkOf(address)).to.equal(network)
    })
  }
})
