import { expect } from 'chai'
import {
  type ClientDocument,
  documentClientId,
  type FoundDocument,
} from '../../../src/clients/client-document.ts'
import { readAnew, takeDocument } from '../../../src/client-documents/snapshot.ts'

const URL_ = 'https://client.example/c'
const DAY = 86_400_000
const NOW = 1000 * DAY

function found(members: Partial<ClientDocument> = {}): FoundDocument {
  return {
    document: {
      clientId: URL_,
      name: 'Client',
      redirectUris: ['https://client.example/back'],
      authentication: 'none',
      isRefreshing: true,
      ...members,
    },
    digest: 'd',
    fetchedAt: NOW,
  }
}

const key = (x: string) => ({ kty: 'OKP', crv: 'Ed25519', x })
const signed = (keys: readonly string[]) =>
  found({ authentication: 'private_key_jwt', keys: keys.map(key) })

function change(before: FoundDocument, after: FoundDocument, now = NOW) {
  const { snapshot } = takeDocument(before)
  return readAnew(after, snapshot, now)
}

describe('what is kept of a document (assistants.md 2.8)', () => {
  it('is what the owner was shown, under an identifier that fits a path', () => {
    const { metadata, snapshot } = takeDocument(
      found({ clientUri: 'https://client.example/', tosUri: 'https://client.example/tos' }),
    )
    expect(metadata).to.deep.equal({
      client_name: 'Client',
      client_uri: 'https://client.example/',
      redirect_uris: ['https://client.example/back'],
      software_id: '',
    })
    expect(snapshot).to.deep.equal({
      url: URL_,
      digest: 'd',
      fetchedAt: NOW,
      checkedAt: NOW,
      authentication: 'none',
      isRefreshing: true,
      tosUri: 'https://client.example/tos',
    })
    expect(documentClientId(URL_)).to.match(/^cimd-[A-Za-z0-9_-]{32}$/)
    expect(documentClientId(URL_)).not.to.equal(documentClientId(`${URL_}/`))
  })
})

describe('a document that changes (assistants.md 2.9)', () => {
  it('says when no key is left that was there before', () => {
    expect(change(signed(['a', 'b']), signed(['b', 'c'])).areKeysReplaced).to.equal(false)
    expect(change(signed(['a', 'b']), signed(['c'])).areKeysReplaced).to.equal(true)
    const at = (keysUri: string) => found({ authentication: 'private_key_jwt', keysUri })
    expect(change(at('https://a.example/k'), at('https://a.example/k')).areKeysReplaced).to.equal(
      false,
    )
    expect(change(at('https://a.example/k'), at('https://b.example/k')).areKeysReplaced).to.equal(
      true,
    )
    expect(change(signed(['a']), at('https://b.example/k')).areKeysReplaced).to.equal(true)
  })
})
