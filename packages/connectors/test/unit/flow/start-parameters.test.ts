import type { AppManifest } from '@svc/oauth-core'
import { type Instance, Parameters } from '@svc/platform'
import { expect } from 'chai'
import { describe, it } from 'mocha'
import {
  readStartParameters,
  type StartParameters,
  type StartParametersServices,
} from '../../../src/flow/start-parameters.ts'
import { sampleInstance } from '../../support/sample-instance.ts'
import { sampleType } from '../../support/sample-type.ts'

const DRIVE: AppManifest = { slug: 'drive', name: 'Drive', permissions: {}, routes: {} }

interface Given {
  readonly manifests?: undefined
  readonly enforceManifestScope?: boolean
}

function read(
  query: string,
  given: Given = {},
  scope: readonly string[] | undefined = ['a b', 'b c'],
): Promise<StartParameters> {
  const manifests: StartParametersServices['manifests'] = {
    async manifestOf(_, slug) {
      return slug === 'bank' && scope ? { slug, oauth: { scope } } : undefined
    },
  }
  const services: StartParametersServices = {
    oauth: {
      apps: { installed: async (_: Instance, slug) => (slug === 'drive' ? DRIVE : undefined) },
    },
    manifests: 'manifests' in given ? given.manifests : manifests,
    options: { homeSlug: 'home', enforceManifestScope: given.enforceManifestScope ?? false },
  }
  const parameters = Parameters.parseQuery(query)
  return readStartParameters(services, sampleInstance(), sampleType(), parameters)
}

async function codeOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => 'none',
    (error: { code?: unknown }) => error.code,
  )
}

/** connectors.md 4.1 (7), 12 */
describe('parameters of a start', () => {
  it('are all optional: the home app, no state, the scopes of the manifest', async () => {
    expect(await read('')).to.deep.equal({
      clientState: '',
      nonce: '',
      slug: 'home',
      scopes: ['a', 'b', 'c'],
    })
  })

  it('keep state and nonce untouched', async () => {
    const asked = await read('state=%7B%22a%22%3A1%7D%20%C3%A9&nonce=n')
    expect(asked).to.include({ clientState: '{"a":1} é', nonce: 'n' })
  })

  it('ask for no scope when scope is there and empty', async () => {
    expect((await read('scope=')).scopes).to.deep.equal([])
  })

  it('take scopes of the query before those of the manifest', async () => {
    expect((await read('scope=x%2By+x')).scopes).to.deep.equal(['x', 'y'])
  })

  it('ask for nothing when no manifest is known', async () => {
    const { scopes } = await read('', { manifests: undefined })
    expect(scopes).to.deep.equal([])
  })

  it('take an app that is installed', async () => {
    expect((await read('slug=drive')).slug).to.equal('drive')
  })

  for (const [query, code] of [
    [`state=${'x'.repeat(1025)}`, 'invalid_request'],
    [`state=${'%C3%A9'.repeat(513)}`, 'invalid_request'],
    ['state=a%0Ab', 'invalid_request'],
    ['state=%7F', 'invalid_request'],
    ['nonce=%00', 'invalid_request'],
    [`scope=${'x'.repeat(2049)}`, 'invalid_request'],
    ['scope=a%22b', 'invalid_request'],
    ['scope=%C3%A9', 'invalid_request'],
    ['slug=unknown', 'invalid_slug'],
    ['slug=Drive', 'invalid_slug'],
    ['slug=evil.example', 'invalid_slug'],
    [`slug=${'a'.repeat(65)}`, 'invalid_slug'],
  ] as const) {
    it(`are refused: ${query.slice(0, 30)} is ${code}`, async () => {
      expect(await codeOf(read(query))).to.equal(code)
    })
  }

  it('may have a state of 1024 bytes', async () => {
    expect((await read(`state=${'x'.repeat(1024)}`)).clientState).to.have.length(1024)
  })

  it('are refused with a scope beyond the manifest only when that is enforced', async () => {
    const enforced = { enforceManifestScope: true }
    expect((await read('scope=a+c', enforced)).scopes).to.deep.equal(['a', 'c'])
    expect(await codeOf(read('scope=a+d', enforced))).to.equal('invalid_scope')
    expect(await codeOf(read('scope=a', { ...enforced, manifests: undefined }))).to.equal(
      'invalid_scope',
    )
    expect((await read('scope=d')).scopes).to.deep.equal(['d'])
  })
})
