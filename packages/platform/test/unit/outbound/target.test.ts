import { expect } from 'chai'
import { parseNetworks } from '../../../src/outbound/address-rules.ts'
import { type OutboundError, isOutboundError } from '../../../src/outbound/outbound-error.ts'
import { checkUrl, findTarget } from '../../../src/outbound/target.ts'

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'provider.example': ['8.8.8.8', '2606:4700:4700::1111'],
  'nat64.example': ['64:ff9b::808:808', '8.8.8.8'],
  'nat64-inside.example': ['8.8.8.8', '64:ff9b::a00:1'],
  'mixed.example': ['8.8.8.8', '10.0.0.1'],
  'mixed-late.example': ['2606:4700:4700::1111', '8.8.8.8', '::1'],
  'inside.example': ['192.168.1.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'own.example': ['10.0.0.1', '10.0.0.2'],
  'junk.example': ['nonsense'],
  'nowhere.example': [],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'a.localhost': ['127.0.0.1'],
  'scoped.example': ['8.8.8.8', 'fe80::1%lo'],
  'spaced.example': ['8.8.8.8', '8.8.8.8\n'],
}

const rules = {
  trustedNetworks: parseNetworks(['10.0.0.0/8', '127.0.0.0/8']),
  lookup: async (name: string): Promise<readonly string[]> => {
    const found = NAMES[name]
    if (found === undefined) throw new Error('ENOTFOUND')
    return found
  },
}

async function outcome(url: string, isTrusted: boolean): Promise<readonly string[] | string> {
  try {
    const target = await findTarget(checkUrl(url, isTrusted), isTrusted, rules)
    return target.addresses
  } catch (error) {
    if (!isOutboundError(error)) throw error
    expect((error as OutboundError).isSent).to.equal(false)
    return `${error.kind} ${error.reason}`
  }
}

describe('the guard of outgoing calls (connectors.md 6.1)', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['http://provider.example/', 'refused scheme'],
    ['ftp://provider.example/', 'refused scheme'],
    ['file:///etc/passwd', 'refused url'],
    ['data:text/plain,x', 'refused url'],
    ['javascript:alert(1)', 'refused url'],
    ['not a url', 'refused url'],
    ['', 'refused url'],
    [`https://provider.example/${'x'.repeat(17_000)}`, 'refused url'],
    ['https://user@provider.example/', 'refused userinfo'],
    ['https://user:secret@provider.example/', 'refused userinfo'],
    ['https://:secret@provider.example/', 'refused userinfo'],
    ['https://8.8.8.8@127.0.0.1/', 'refused userinfo'],
    ['https://provider.example:22/', 'refused port'],
    ['https://provider.example:80/', 'refused port'],
    ['https://provider.example:1023/', 'refused port'],
    ['https://127.0.0.1/', 'refused address'],
    ['https://127.1/', 'refused address'],
    ['https://2130706433/', 'refused address'],
    ['https://0x7f000001/', 'refused address'],
    ['https://0x7f.1/', 'refused address'],
    ['https://0177.0.0.1/', 'refused address'],
    ['https://017700000001/', 'refused address'],
    ['https://127.0.0.1./', 'refused address'],
    ['https://１２７.０.０.１/', 'refused address'],
    ['https://①②⑦.⓪.⓪.①/', 'refused address'],
    ['https://127。0。0。1/', 'refused address'],
    ['https://%31%32%37.0.0.1/', 'refused address'],
    ['https://0/', 'refused address'],
    ['https://10.0.0.1/', 'refused address'],
    ['https://169.254.169.254/latest/meta-data', 'refused address'],
    ['https://2852039166/', 'refused address'],
    ['https://[::1]/', 'refused address'],
    ['https://[::ffff:127.0.0.1]/', 'refused address'],
    ['https://[64:ff9b::10.0.0.1]/', 'refused address'],
    ['https://localhost/', 'refused address'],
    ['https://LOCALHOST./', 'refused address'],
    ['https://a.localhost/', 'refused address'],
    ['https://scoped.example/', 'refused address'],
    ['https://spaced.example/', 'refused address'],
    ['https://[fe80::1%25lo]/', 'refused url'],
    ['https://[::1%lo]/', 'refused url'],
    ['https://inside.example/', 'refused address'],
    ['https://mapped.example/', 'refused address'],
    ['https://metadata.example/', 'refused address'],
    ['https://nat64-inside.example/', 'refused address'],
    ['https://mixed.example/', 'refused address'],
    ['https://mixed-late.example/', 'refused address'],
    ['https://junk.example/', 'refused address'],
    ['https://nowhere.example/', 'unreachable lookup'],
    ['https://unknown.example/', 'unreachable lookup'],
  ]
  for (const [url, expected] of refusals) {
    it(`says "${expected}" of ${url.slice(0, 60) || 'nothing'}`, async () => {
      expect(await outcome(url, false)).to.equal(expected)
    })
  }

  const allowed: readonly (readonly [string, readonly string[]])[] = [
    ['https://provider.example/token', ['8.8.8.8', '2606:4700:4700::1111']],
    ['https://provider.example:443/', ['8.8.8.8', '2606:4700:4700::1111']],
    ['https://provider.example:1024/', ['8.8.8.8', '2606:4700:4700::1111']],
    ['https://provider.example:65535/', ['8.8.8.8', '2606:4700:4700::1111']],
    ['https://8.8.8.8/', ['8.8.8.8']],
    ['https://[2606:4700:4700::1111]/', ['2606:4700:4700::1111']],
    ['https://[64:ff9b::8.8.8.8]/', ['64:ff9b::808:808']],
    ['https://nat64.example/', ['64:ff9b::808:808', '8.8.8.8']],
  ]
  for (const [url, addresses] of allowed) {
    it(`allows ${url}, at the addresses that were checked`, async () => {
      expect(await outcome(url, false)).to.deep.equal(addresses)
    })
  }

  const trusted: readonly (readonly [string, readonly string[] | string])[] = [
    ['https://10.0.0.1/', ['10.0.0.1']],
    ['http://10.0.0.1/', ['10.0.0.1']],
    ['http://127.0.0.1:22/', ['127.0.0.1']],
    ['http://own.example:8080/', ['10.0.0.1', '10.0.0.2']],
    ['https://own.example:1/', ['10.0.0.1', '10.0.0.2']],
    ['https://mixed.example/', ['8.8.8.8', '10.0.0.1']],
    ['https://provider.example/', ['8.8.8.8', '2606:4700:4700::1111']],
    ['http://mixed.example/', 'refused scheme'],
    ['https://mixed.example:22/', 'refused port'],
    ['http://provider.example/', 'refused scheme'],
    ['https://provider.example:22/', 'refused port'],
    ['https://inside.example/', 'refused address'],
    ['https://metadata.example/', 'refused address'],
    ['http://[::1]/', 'refused address'],
    ['http://localhost/', 'refused address'],
    ['http://mapped.example/', 'refused address'],
    ['http://user@10.0.0.1/', 'refused userinfo'],
    ['ftp://10.0.0.1/', 'refused scheme'],
  ]
  for (const [url, expected] of trusted) {
    it(`for what is trusted, says "${String(expected)}" of ${url}`, async () => {
      expect(await outcome(url, true)).to.deep.equal(expected)
    })
  }
})
