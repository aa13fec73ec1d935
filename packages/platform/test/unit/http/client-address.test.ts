import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import type { Context } from 'koa'
import { createClientAddress } from '../../../src/http/client-address.ts'

/** As much of a context as an address needs. */
function contextOf(remoteAddress: string | undefined, forwarded = ''): Context {
  return { req: { socket: { remoteAddress } }, get: () => forwarded } as unknown as Context
}

describe('the client address', () => {
  const sockets: readonly (readonly [socket: string | undefined, address: string])[] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    [undefined, 'unknown'],
    ['', 'unknown'],
    ['alice', 'unknown'],
  ]
  for (const [socket, address] of sockets) {
    it(`of the socket ${String(socket)} is ${address}`, () => {
      expect(createClientAddress(0)(contextOf(socket))).to.equal(address)
    })
  }

  const headers: readonly (readonly [hops: number, header: string, address: string])[] = [
    [0, '198.51.100.9', '192.0.2.7'],
    [1, '198.51.100.9', '198.51.100.9'],
    [1, '203.0.113.1, 198.51.100.9', '198.51.100.9'],
    [2, '203.0.113.1, 198.51.100.9', '203.0.113.1'],
    [1, ' 198.51.100.9 ', '198.51.100.9'],
    [1, '198.51.100.9:1234', '198.51.100.9'],
    [1, '[2001:db8:1:2::1]:1234', '2001:db8:1:2::/64'],
    [1, '2001:db8:1:2::1', '2001:db8:1:2::/64'],
    [1, '::ffff:198.51.100.9', '198.51.100.9'],
    // What cannot be read counts as if it were not there.
    [1, '', '192.0.2.7'],
    [1, 'unknown', '192.0.2.7'],
    [1, '198.51.100.9,', '192.0.2.7'],
    [1, '198.51.100.999', '192.0.2.7'],
    [1, 'localhost', '192.0.2.7'],
    [1, '"198.51.100.9"', '192.0.2.7'],
    [1, '\u0000', '192.0.2.7'],
    [3, '203.0.113.1, 198.51.100.9', '192.0.2.7'],
    [1, ':'.repeat(50_000), '192.0.2.7'],
    [1, '1'.repeat(50_000), '192.0.2.7'],
  ]
  for (const [hops, header, address] of headers) {
    it(`behind ${hops} proxies with ${JSON.stringify(header.slice(0, 40))} is ${address}`, async () => {
      const spent = await cpuMs(() => {
        expect(createClientAddress(hops)(contextOf('192.0.2.7', header))).to.equal(address)
      })
      expect(spent).to.be.below(scaledLimit(50))
    })
  }
})
