import { expect } from 'chai'
import fc from 'fast-check'
import { isPublicAddress, isWithin, parseNetworks } from '../../../src/outbound/address-rules.ts'

/** `connectors.md` 6.1 (3): the first and last of each block, and its public neighbours. */
const BLOCKS: readonly (readonly [string | undefined, string, string, string | undefined])[] = [
  [undefined, '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
  ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
  ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
  ['168.63.129.15', '168.63.129.16', '168.63.129.16', '168.63.129.17'],
  ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
  ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ['191.255.255.255', '192.0.0.0', '192.0.0.255', undefined],
  [undefined, '192.0.2.0', '192.0.2.255', undefined],
  [undefined, '192.88.99.0', '192.88.99.255', undefined],
  ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
  ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
  [undefined, '198.51.100.0', '198.51.100.255', undefined],
  [undefined, '203.0.113.0', '203.0.113.255', undefined],
  ['223.255.255.255', '224.0.0.0', '255.255.255.255', undefined],
]
const PUBLIC = [
  ...BLOCKS.flatMap(([before, , , after]) => [before, after].filter((one) => one !== undefined)),
  '8.8.8.8',
  '2001:4860:4860::8888',
  '2606:4700:4700::1111',
  '2a00:1450:4001::5',
  '64:ff9b::8.8.8.8',
  '64:ff9b::101:101',
]

const REFUSED = [
  ...BLOCKS.flatMap(([, first, last]) => [first, last]),
  '100.100.100.200',
  '169.254.169.254',
  '192.0.0.192',
  '240.0.0.1',
  '::',
  '::1',
  '::1%lo',
  '::7f00:1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::ffff:7f00:1%eth0',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::',
  '64:ff9b::10.0.0.1',
  '64:ff9b::169.254.169.254',
  '64:ff9b::168.63.129.16',
  '64:ff9b::8.8.8.8%eth0',
  '64:ff9b::1:808:808',
  '64:ff9b:0:1::808:808',
  '64:ff9b:1::1',
  '64:ff9b:1::808:808',
  '100::1',
  '100:0:0:1::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
]

const NO_ADDRESS = ['', 'localhost', '127.1', '0x7f.0.0.1', '017700000001', '2130706433', '1.2.3']
const NEARLY_ONE = [' 8.8.8.8', '8.8.8.8 ', '8.8.8.8\n', '8.8.8', '08.8.8.8', '134744072']

describe('isPublicAddress', () => {
  for (const address of PUBLIC) {
    it(`allows ${address}`, () => expect(isPublicAddress(address)).to.equal(true))
  }
  for (const address of [...REFUSED, ...NO_ADDRESS, ...NEARLY_ONE]) {
    it(`refuses ${address || 'nothing'}`, () => expect(isPublicAddress(address)).to.equal(false))
  }
  it('refuses IPv4 inside IPv6 whatever it is', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const prefix of ['::ffff:', '::', '::ffff:0:', '64:ff9b:1::']) {
          expect(isPublicAddress(prefix + address)).to.equal(false)
        }
      }),
    )
  })
  it('judges an address of NAT64 by the IPv4 address inside', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`64:ff9b::${address}`)).to.equal(isPublicAddress(address))
      }),
    )
  })
})

describe('isWithin', () => {
  const networks = parseNetworks(['10.1.0.0/16', 'fd00:1::/32', '127.0.0.1/32'])
  const cases: readonly (readonly [string, boolean])[] = [
    ['10.1.2.3', true],
    ['10.2.0.1', false],
    ['127.0.0.1', true],
    ['127.0.0.2', false],
    ['fd00:1:2::3', true],
    ['fd00:2::1', false],
    ['::ffff:10.1.2.3', false],
    ['not an address', false],
    ['::ffff:127.0.0.1', false],
    ['127.0.0.1%lo', false],
    ['::ffff:127.0.0.1%lo', false],
  ]
  for (const [address, expected] of cases) {
    it(`${expected ? 'finds' : 'does not find'} ${address}`, () => {
      expect(isWithin(address, networks)).to.equal(expected)
    })
  }
})
