import { MINUTE_MS } from '@svc/platform'
import {
  APK_CERTIFICATE_DIGEST,
  type AppAttestOverrides,
  type AttestationPlatforms,
  makeAppAttest,
  makeAuthority,
  makePlatforms,
  makePlayIntegrity,
  makeSafetyNet,
  type PlayIntegrityOverrides,
  type SafetyNetOverrides,
} from '@svc/testkit/attestation'
import { expect } from 'chai'
import { type Answer, type OAuthServer, oauthServer, type Registered } from '../oauth-server.ts'
import { isFlagship } from './certification-steps.ts'

const OTHER_KEY = Buffer.alloc(32, 9)
const UNTRUSTED = 'cannot parse attestation: the certificate chain ends at no trusted root'
const ENDED = 'cannot parse attestation: a certificate is not valid now'
const FOREIGN = 'org.example.other is not the package name of the flagship app'
const LIMITS = { 'oauth-client': { limit: 1000, windowMs: 3_600_000 } }

describe('POST /auth/clients/:clientId/attestation', () => {
  let platforms: AttestationPlatforms
  let server: OAuthServer
  let client: Registered

  before(async () => {
    platforms = await makePlatforms()
  })
  beforeEach(async () => {
    server = await oauthServer({ flagship: platforms.flagship, limits: LIMITS })
    client = await server.register()
  })

  async function newChallenge({ id, token } = client): Promise<string> {
    const headers = server.bearer(token)
    const { body } = await server.send('POST', `/auth/clients/${id}/challenge`, { headers })
    return String(body['nonce'])
  }

  const post = (json: unknown, { id } = client, headers = {}): Promise<Answer> =>
    server.send('POST', `/auth/clients/${id}/attestation`, { json, headers })

  /** Made when the test asks, for a fresh nonce. */
  const now = (): number => server.clock.now()
  const safetyNet = async (overrides: Partial<SafetyNetOverrides> = {}) => ({
    platform: 'android',
    ...(await makeSafetyNet(platforms, {
      challenge: overrides.challenge ?? (await newChallenge()),
      now: now(),
      ...overrides,
    })),
  })
  const playIntegrity = async (overrides: Partial<PlayIntegrityOverrides> = {}) => ({
    platform: 'android',
    issuer: 'playintegrity',
    ...(await makePlayIntegrity(platforms, {
      challenge: overrides.challenge ?? (await newChallenge()),
      now: now(),
      ...overrides,
    })),
  })
  const appAttest = async (overrides: Partial<AppAttestOverrides> = {}) => ({
    platform: 'ios',
    ...(await makeAppAttest(platforms, { challenge: await newChallenge(), ...overrides })),
  })

  async function expectRefused(json: unknown, reason: string): Promise<void> {
    const answer = await post(json)
    expect([answer.status, answer.body]).to.deep.equal([400, { error: reason }])
    expect(answer.headers['cache-control']).to.equal('no-store')
    expect(await isFlagship(server, client)).to.equal(false)
  }

  const makers = { safetyNet, playIntegrity, appAttest }
  for (const [name, make] of Object.entries(makers)) {
    it(`answers 204 to ${name}, and the client is certified from its store`, async () => {
      const posted = await make()
      const answer = await post(posted)
      expect([answer.status, answer.text]).to.deep.equal([204, ''])
      expect(answer.headers).to.not.have.property('content-type')
      const stored = await server.oauth.clients.get(server.instance, client.id)
      expect(stored).to.include({ flagship: true, certifiedFromStore: true, pending: true })
      const certified = server.events.filter((event) => event.name === 'client.certified')
      expect(certified.map(({ event }) => (event as { how: string }).how)).to.deep.equal(['store'])
      const again = await post(posted)
      expect([again.status, again.body]).to.deep.equal([400, { error: 'invalid challenge' }])
      const shown = await server.send('GET', `/auth/register/${client.id}`, {
        headers: server.bearer(client.token),
      })
      expect(shown.body).to.include({ flagship: true, certified_from_store: true })
    })
  }

  it('takes SafetyNet for any other issuer', async () => {
    expect((await post({ ...(await safetyNet()), issuer: 'safetynet' })).status).to.equal(204)
    expect((await post({ ...(await safetyNet()), issuer: null })).status).to.equal(204)
  })

  const parse = (why: string): string => `cannot parse attestation: ${why}`
  const late = Date.now() - 30 * MINUTE_MS
  const leaf = { notAfter: Date.now() - MINUTE_MS }
  const other = 'org.example.other'
  const nonce = 'A'.repeat(36)
  const android = (claims: object) => () => safetyNet({ claims: { ...claims } })
  const play = (overrides: Partial<PlayIntegrityOverrides>) => () => playIntegrity(overrides)
  const apple = (overrides: Partial<AppAttestOverrides>) => () => appAttest(overrides)
  // By the rules of 4.3, 4.4 and 4.5.
  const refused: Readonly<Record<string, readonly (() => Promise<object>)[]>> = {
    'missing certification': [() => safetyNet({ header: { x5c: undefined } })],
    [parse('the certificate is not for attest.android.com')]: [
      () => safetyNet({ leaf: { dnsNames: ['attest.example.com'] } }),
    ],
    [UNTRUSTED]: [() => safetyNet({ x5c: (made) => [made] })],
    [ENDED]: [() => safetyNet({ leaf }), apple({ leaf })],
    'missing nonce': [android({ nonce: undefined }), play({ request: { nonce: undefined } })],
    'invalid nonce': [android({ nonce }), play({ request: { nonce } }), apple({ nonce: null })],
    'invalid timestampMs': [android({ timestampMs: late })],
    'missing apkPackageName': [android({ apkPackageName: undefined })],
    [FOREIGN]: [
      android({ apkPackageName: other }),
      play({ request: { requestPackageName: other } }),
    ],
    'missing apkCertificateDigestSha256': [android({ apkCertificateDigestSha256: undefined })],
    'invalid certificate digest': [
      android({ apkCertificateDigestSha256: ['AAAA', APK_CERTIFICATE_DIGEST] }),
      play({ app: { certificateSha256Digest: ['AAAA'] } }),
    ],
    'device integrity not met': [
      android({ ctsProfileMatch: false }),
      play({ device: { deviceRecognitionVerdict: [] } }),
    ],
    [parse('no key decrypts it')]: [play({ encryption: { key: OTHER_KEY } })],
    [parse('alg is not ES256')]: [play({ signature: { alg: 'HS256', key: OTHER_KEY } })],
    'invalid requestDetails.timestampMillis': [
      play({ request: { timestampMillis: String(late) } }),
    ],
    'missing appIntegrity.packageName': [play({ app: { packageName: undefined } })],
    'app not recognized': [play({ app: { appRecognitionVerdict: 'UNRECOGNIZED_VERSION' } })],
    'invalid webauthn format': [apple({ object: (made) => ({ ...made, fmt: 'packed' }) })],
    [parse('authData is too short')]: [apple({ authData: (data) => data.subarray(0, 86) })],
    'invalid RP ID hash': [apple({ appId: 'TEAM123456.org.example.other' })],
    'invalid counter': [apple({ counter: 1 })],
    'invalid aaguid': [apple({ aaguid: Buffer.from('appattestdevelop') })],
    'invalid credentialId': [apple({ credentialId: OTHER_KEY })],
  }
  for (const [reason, cases] of Object.entries(refused)) {
    it(`answers 400: ${reason}`, async () => {
      for (const make of cases) await expectRefused(await make(), reason)
    })
  }

  it('answers 400 by rule 4.3.3 a signature that was changed', async () => {
    const made = await safetyNet()
    const { attestation } = made
    const at = attestation.length - 20
    const changed = attestation[at] === 'A' ? 'B' : 'A'
    const text = `${attestation.slice(0, at)}${changed}${attestation.slice(at + 1)}`
    const answer = await post({ ...made, attestation: text })
    expect(answer.status).to.equal(400)
    expect(answer.body['error']).to.match(/^cannot parse attestation: /)
  })

  it('answers 400 by rule 4.5.2 a chain of another authority', async () => {
    const foreign = await makeAuthority('Apple', 'P-384', now())
    const { intermediate } = foreign
    const made = { issuer: intermediate, x5c: (leaf: typeof intermediate) => [leaf, intermediate] }
    await expectRefused(await appAttest(made), UNTRUSTED)
  })

  it('answers 400 by rule 4.5.5 another key id', async () => {
    const keyId = OTHER_KEY.toString('base64')
    await expectRefused({ ...(await appAttest()), keyId }, 'invalid keyId')
    await expectRefused({ ...(await appAttest()), keyId: undefined }, 'invalid keyId')
  })

  it('refuses everything when no app is configured', async () => {
    server = await oauthServer({ flagship: { trustRoots: platforms.flagship.trustRoots } })
    client = await server.register()
    for (const make of Object.values(makers)) {
      const answer = await post(await make())
      expect(answer.status).to.equal(400)
      expect(await isFlagship(server, client)).to.equal(false)
    }
  })

  describe('before the attestation is looked at', () => {
    it('answers 400 to a body of another form, and the nonce stays good', async () => {
      const made = await safetyNet()
      const cases: readonly (readonly [string, unknown, string])[] = [
        ['no object', [], 'the body must be a JSON object'],
        ['null', null, 'the body must be a JSON object'],
        ['no platform', { ...made, platform: undefined }, 'invalid platform'],
        ['another platform', { ...made, platform: 'windows' }, 'invalid platform'],
        ['a platform of another type', { ...made, platform: ['ios'] }, 'platform must be a text'],
        ['a number as nonce', { ...made, challenge: 7 }, 'challenge must be a text'],
        ['an object', { ...made, attestation: {} }, 'attestation must be a text'],
        ['a list as issuer', { ...made, issuer: [] }, 'issuer must be a text'],
        ['no nonce', { ...made, challenge: undefined }, 'invalid challenge'],
        ['an unknown nonce', { ...made, challenge: 'A'.repeat(36) }, 'invalid challenge'],
        ['a long nonce', { ...made, challenge: 'A'.repeat(600) }, 'invalid challenge'],
      ]
      for (const [name, json, reason] of cases) {
        const answer = await post(json)
        expect([answer.status, answer.body], name).to.deep.equal([400, { error: reason }])
      }
      expect((await post(made)).status).to.equal(204)
    })

    it('uses the nonce up with a failed try', async () => {
      const made = await safetyNet()
      expect((await post({ ...made, attestation: 'x' })).status).to.equal(400)
      expect((await post(made)).body).to.deep.equal({ error: 'invalid challenge' })
    })

    it('answers 400 to the nonce of another client, and it stays good for that one', async () => {
      const other = await server.register()
      const made = await safetyNet()
      const answer = await post(made, other)
      expect([answer.status, answer.body]).to.deep.equal([400, { error: 'invalid challenge' }])
      expect((await post(made)).status).to.equal(204)
    })

    it('answers 400 to a nonce of more than an hour ago', async () => {
      const challenge = await newChallenge()
      server.clock.advance(60 * MINUTE_MS)
      const made = await safetyNet({ challenge })
      expect((await post(made)).body).to.deep.equal({ error: 'invalid challenge' })
    })

    it('keeps the ten newest nonces of a client', async () => {
      const nonces: string[] = []
      for (let n = 0; n < 11; n += 1) {
        nonces.push(await newChallenge())
        server.clock.advance(1)
      }
      const [oldest = '', second = ''] = nonces
      const dropped = await post(await safetyNet({ challenge: oldest }))
      expect(dropped.body).to.deep.equal({ error: 'invalid challenge' })
      expect((await post(await safetyNet({ challenge: second }))).status).to.equal(204)
    })

    it('answers 401 to a wrong registration token, and takes the right one or none', async () => {
      const other = await server.register()
      const made = await safetyNet()
      for (const token of [other.token, 'x']) {
        const answer = await post(made, client, server.bearer(token))
        expect([answer.status, answer.text]).to.deep.equal([401, '{"error":"invalid_token"}'])
      }
      expect((await post(await safetyNet(), client, server.bearer(client.token))).status).to.equal(
        204,
      )
      const basic = { authorization: 'Basic eDp5' }
      expect((await post(await safetyNet(), client, basic)).status).to.equal(204)
    })

    it('answers 404 for an unknown and for a deleted client, whose nonces are gone', async () => {
      const made = await safetyNet()
      await server.oauth.clients.revoke(server.instance, client.id, 'test')
      for (const id of [client.id, 'none']) {
        const answer = await post(made, { ...client, id })
        expect([answer.status, answer.body]).to.deep.equal([404, { error: 'Client not found' }])
      }
    })
  })

  it('answers 429 after fifty nonces in an hour, and does not count what comes without one', async () => {
    const limits = { ...LIMITS, attestation: { limit: 1, windowMs: 3_600_000 } }
    server = await oauthServer({ flagship: platforms.flagship, limits })
    client = await server.register()
    const foreign = await safetyNet({ claims: { apkPackageName: 'org.example.other' } })
    for (const stranger of [{}, { ...foreign, challenge: 'x'.repeat(36) }]) {
      expect((await post(stranger)).status).to.equal(400)
    }
    const wrong = await server.send('POST', `/auth/clients/${client.id}/attestation`, {
      json: foreign,
      headers: server.bearer('wrong'),
    })
    expect(wrong.status).to.equal(401)
    await expectRefused(foreign, FOREIGN)
    const answer = await post(await safetyNet())
    expect([answer.status, answer.body]).to.deep.equal([429, { error: 'too_many_requests' }])
    expect(Number(answer.headers['retry-after'])).to.be.within(1, 3600)
  })
})
