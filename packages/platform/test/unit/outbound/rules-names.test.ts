import { expect } from 'chai'
import { describe, it } from 'mocha'
import { isPublicAddress, isWithin, parseNetworks } from '../../../src/outbound/address-rules.ts'
import { isOutboundError } from '../../../src/outbound/outbound-error.ts'
import { checkUrl, findTarget } from '../../../src/outbound/target.ts'

/** connectors.md 6.1 (3), (5): what a name server of somebody else may answer. */
describe('names of others, as they may be spelt and answered', () => {
  const networks = parseNetworks(['127.0.0.0/8'])

  async function outcome(
    url: string,
    addresses: readonly string[],
    isTrusted = false,
  ): Promise<string> {
    const asked: string[] = []
    const lookup = async (name: string): Promise<readonly string[]> => {
      asked.push(name)
      return addresses
    }
    try {
      const rules = { trustedNetworks: networks, lookup }
      await findTarget(checkUrl(url, isTrusted), isTrusted, rules)
      return `allowed ${asked.join()}`
    } catch (error) {
      if (!isOutboundError(error)) throw error
      return `${error.kind} ${error.reason}`
    }
  }

  for (const url of ['https://localhost./', 'https://LOCALHOST./', 'https://a.localhost/']) {
    it(`refuses ${url} by where it leads`, async () => {
      expect(await outcome(url, ['127.0.0.1'])).to.equal('refused address')
      expect(await outcome(url, ['::1', '127.0.0.1'], true)).to.equal('refused address')
    })
  }

  for (const address of [
    'fe80::1%lo',
    'fe80::1%1',
    '::1%lo',
    '::ffff:7f00:1%eth0',
    '::ffff:0:127.0.0.1',
    '0:0:0:0:0:ffff:7f00:1',
    '64:ff9b:1::7f00:1',
    '2001::7f00:1',
    '2002:7f00:1::1',
    'fec0::1',
    '100::1',
    '100:0:0:1::1',
    '5f00::1',
    '3fff::1',
    '2001:db8::1',
    '255.255.255.255',
    '192.88.99.1',
    '0.0.0.0',
    '',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8\n',
    '8.8.8',
    '08.8.8.8',
    '134744072',
  ]) {
    it(`refuses a name that leads to ${JSON.stringify(address)}, alone or beside others`, async () => {
      expect(isPublicAddress(address)).to.equal(false)
      expect(await outcome('https://x.example/', [address])).to.equal('refused address')
      expect(await outcome('https://x.example/', ['8.8.8.8', address])).to.equal('refused address')
    })
  }

  it('takes no scoped or mapped spelling of a trusted address for one', () => {
    for (const address of ['::ffff:127.0.0.1', '::1', '127.0.0.1%lo', '::ffff:127.0.0.1%lo']) {
      expect(isWithin(address, networks), address).to.equal(false)
    }
  })

  it('refuses literals with a scope, however they are written', async () => {
    for (const host of ['[fe80::1%25lo]', '[fe80::1%lo]', '[::1%25lo]']) {
      expect(await outcome(`https://${host}/`, ['8.8.8.8']), host).to.match(/^refused/)
    }
  })
})
