import { expect } from 'chai'
import {
  ENTRY_GATE_OPTIONS,
  type EntryGateOptions,
} from '../../../src/account-types/account-type-options.ts'
import { AccountTypeError, admitEntry } from '../../../src/account-types/entry-gate.ts'
import { recordedLog } from '../../support/recorded-log.ts'
import { sampleInstance } from '../../support/sample-instance.ts'

const ENTRY = {
  _id: 'bank',
  grant_mode: 'authorization_code',
  client_id: 'id',
  client_secret: 's3cret',
  auth_endpoint: 'https://login.bank.co.uk/authorize',
  token_endpoint: 'https://api.bank.co.uk/token',
}
const ALICE = sampleInstance()
const instances = {
  byHost: async (host: string) => (host === 'alice.example.com' ? ALICE : undefined),
}
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inside.example.net': ['10.1.2.3', 'fd00::7'],
  'half.example.net': ['10.1.2.3', '93.184.216.34'],
}
const lookup = async (name: string): Promise<readonly string[]> => {
  const addresses = NAMES[name]
  if (addresses === undefined) throw new Error('ENOTFOUND')
  return addresses
}

function gateOf(options: EntryGateOptions) {
  const settled = ENTRY_GATE_OPTIONS.settle(options)
  return { admit: (value: unknown) => admitEntry(settled, value) }
}

async function refusal(
  fields: object,
  options: Partial<EntryGateOptions> = {},
): Promise<readonly string[]> {
  const gate = gateOf({ log: recordedLog(), instances, lookup, ...options })
  try {
    await gate.admit({ ...ENTRY, ...fields })
    return []
  } catch (error) {
    if (!(error instanceof AccountTypeError)) throw error
    return error.faults.map(({ field }) => field)
  }
}

describe('admitEntry', () => {
  it('refuses with 422 and one JSON:API error per field, with a pointer to it (2.2, 4)', async () => {
    const gate = gateOf({ log: recordedLog() })
    const error: unknown = await gate
      .admit({ ...ENTRY, token_mode: 'digest', token_headers: { 'a/b': 's3cret' } })
      .catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(AccountTypeError)
    const { status, code, errors, faults } = error as AccountTypeError
    expect({ status, code }).to.deep.equal({ status: 422, code: 'invalid_account_type' })
    expect(errors).to.have.deep.members([
      {
        code: 'invalid_account_type',
        title: 'Unprocessable Content',
        detail: 'is none of the possible values',
        source: { pointer: '/token_mode' },
      },
      {
        code: 'invalid_account_type',
        title: 'Unprocessable Content',
        detail: 'is not an allowed name',
        source: { pointer: '/token_headers/a~1b' },
      },
    ])
    expect(faults).to.have.length(2)
    expect(JSON.stringify(error) + String(error)).not.to.include('s3cret')
  })

  it('refuses a whole that is no object with an empty pointer', async () => {
    const gate = gateOf({ log: recordedLog() })
    const error: unknown = await gate.admit('x').catch((thrown: unknown) => thrown)
    expect((error as AccountTypeError).errors.map(({ source }) => source)).to.deep.equal([
      { pointer: '' },
    ])
  })

  it('lets plain http through only for trusted entries whose host is wholly inside a trusted network (2.2, 1)', async () => {
    const trustedNetworks = ['10.0.0.0/8', 'fd00::/8', '127.0.0.0/8']
    const plain = (host: string) => ({ token_endpoint: `http://${host}:9000/token` })
    const trusted = { trusted_network: true }
    const options = { trustedNetworks }
    for (const host of ['10.9.9.9', '[fd00::1]', '127.0.0.1', 'inside.example.net']) {
      expect(await refusal({ ...plain(host), ...trusted }, options), host).to.deep.equal([])
      expect(await refusal(plain(host), options), host).to.deep.equal(['token_endpoint'])
      expect(await refusal({ ...plain(host), ...trusted }), host).to.deep.equal(['token_endpoint'])
    }
    for (const host of [
      'half.example.net',
      'nowhere.example.net',
      '192.168.1.1',
      '[::1]',
      '93.184.216.34',
    ]) {
      expect(await refusal({ ...plain(host), ...trusted }, options), host).to.deep.equal([
        'token_endpoint',
      ])
    }
  })

  it('wants a redirect_uri on an instance or at the callback address, in their scheme (2.2, 3)', async () => {
    const uri = (origin: string) => ({ redirect_uri: `${origin}/accounts/bank/redirect` })
    const callbackUrl = 'https://oauth.example.org'
    expect(await refusal(uri('https://alice.example.com'))).to.deep.equal([])
    // A gate that knows neither takes any address of https.
    await gateOf({ log: recordedLog() }).admit({ ...ENTRY, ...uri('https://anywhere.example') })
    expect(await refusal(uri('https://oauth.example.org'), { callbackUrl })).to.deep.equal([])
    for (const origin of [
      'http://alice.example.com',
      'https://alice.example.com:8443',
      'https://bob.example.com',
      'https://oauth.example.org',
    ]) {
      expect(await refusal(uri(origin)), origin).to.deep.equal(['redirect_uri'])
    }
    for (const origin of ['http://oauth.example.org', 'https://oauth.example.org:444']) {
      expect(await refusal(uri(origin), { callbackUrl }), origin).to.deep.equal(['redirect_uri'])
    }
  })

  it('warns of a token endpoint that belongs to others than the authorization endpoint (2.2, 2)', async () => {
    const log = recordedLog()
    const gate = gateOf({ log })
    await gate.admit(ENTRY)
    await gate.admit({ _id: 'g', preset: 'google', client_id: 'id', client_secret: 's' })
    expect(log.lines).to.deep.equal([])
    await gate.admit({ ...ENTRY, token_endpoint: 'https://evil.co.uk/token?s3cret' })
    await gate.admit({ ...ENTRY, refresh_endpoint: 'https://93.184.216.34/token' })
    await gate.admit({
      ...ENTRY,
      auth_endpoint: 'https://a.github.io/authorize',
      token_endpoint: 'https://b.github.io/token',
    })
    await gate.admit({
      _id: 'g',
      preset: 'google',
      client_id: 'id',
      token_endpoint: 'https://evil.example.com/token',
    })
    const warnings = log.of('account_type.foreign_endpoint')
    expect(warnings.map((fields) => [fields?.['field'], fields?.['endpoint']])).to.deep.equal([
      ['token_endpoint', 'evil.co.uk'],
      ['refresh_endpoint', '93.184.216.34'],
      ['token_endpoint', 'b.github.io'],
      ['token_endpoint', 'example.com'],
    ])
    expect(JSON.stringify(log.lines)).not.to.include('s3cret')
  })

  it('refuses malformed networks at once', () => {
    for (const cidr of ['10.0.0.0', '10/8', 'example.com/8', '10.0.0.0/33', 'fd00::/129']) {
      expect(() => gateOf({ log: recordedLog(), trustedNetworks: [cidr] }), cidr).to.throw(
        TypeError,
        'options.trustedNetworks[0]: must be a CIDR',
      )
    }
  })
})
