import { randomBytes } from 'node:crypto'
import type { Key, Revision } from '@svc/store'
import { fakeClock } from '@svc/testkit'
import { expect } from 'chai'
import type { AuthorizeRequest } from '../../../src/authorize/authorize-request.ts'
import { checkConsent, markOf, sealConsent } from '../../../src/authorize/consent-seal.ts'
import { createSealer } from '@svc/platform'
import type { LiveAccess } from '../../../src/authorize/live-access.ts'
import type { OwnerSession } from '../../../src/ports.ts'
import { parseScope } from '../../../src/scopes/scope.ts'
import { testInstance } from '../../../../platform/test/support/test-instance.ts'

/** What a client has that was allowed nothing so far. */
const NOTHING: Pick<LiveAccess, 'changed' | 'isAllowed'> = { isAllowed: () => false }
const INSTANCE = testInstance()
const SESSION: OwnerSession = { id: 's1', kind: 'normal', createdAt: 0 }

function request(fields: Partial<Omit<AuthorizeRequest, 'client'>> = {}): AuthorizeRequest {
  const { scope = 'io.svc.files io.svc.contacts', ...others } = fields
  const made = {
    instance: INSTANCE,
    client: { id: 'c1', metadata: { client_name: 'Weather' } },
    redirectUri: 'https://client.org/cb',
    state: 'st',
    scope,
    permissions: parseScope(scope) ?? [],
    codeChallenge: 'x'.repeat(43),
    ...others,
  }
  // The members a seal reads.
  return made as unknown as AuthorizeRequest
}

describe('the seal of a consent page', () => {
  const clock = fakeClock()
  const sealer = createSealer([{ kid: 'k1', key: randomBytes(32) }])
  const services = { sealer, clock }
  const sealed = (): string => sealConsent(services, request(), SESSION, NOTHING)

  const accepted: readonly (readonly [string, AuthorizeRequest])[] = [
    ['what was shown', request()],
    ['less scope', request({ scope: 'io.svc.contacts' })],
    ['narrower rules', request({ scope: 'io.svc.files:GET:a io.svc.contacts:GET' })],
  ]
  for (const [what, answer] of accepted) {
    it(`accepts ${what}`, () => {
      expect(() => checkConsent(services, sealed(), answer, SESSION, NOTHING)).not.to.throw()
    })
  }

  it('holds the last change of what the client has', () => {
    const changed = (mark: string): typeof NOTHING => ({
      ...NOTHING,
      changed: { key: 'a:b:c' as Key, value: { mark }, revision: '1' as Revision },
    })
    const check = (shown: typeof NOTHING, now: typeof NOTHING) => () =>
      checkConsent(
        services,
        sealConsent(services, request(), SESSION, shown),
        request(),
        SESSION,
        now,
      )
    expect(check(NOTHING, changed('one')))
      .to.throw()
      .with.property('code', 'consent_outdated')
    expect(check(changed('one'), changed('two')))
      .to.throw()
      .with.property('status', 400)
    expect(check(changed('one'), changed('one'))).not.to.throw()
    expect(check(changed('one'), NOTHING), 'so long ago that no page is from before').not.to.throw()
    const text = sealed()
    const own = changed(markOf(text))
    expect(() => checkConsent(services, text, request(), SESSION, own), 'its own').not.to.throw()
  })

  const refuses = (text: string, answer = request(), session = SESSION): void => {
    const check = () => checkConsent(services, text, answer, session, NOTHING)
    expect(check, JSON.stringify(text)).to.throw().with.property('status', 400)
  }

  // Other clients, redirects, states, names, scopes and sessions: http/authorize.test.ts and consent-shown.test.ts.
  it('refuses another instance, and any other scope of a linked client', () => {
    refuses(sealed(), request({ instance: testInstance() }))
    const app = { slug: 'drive', name: 'Drive', permissions: {}, routes: {} }
    const linked = request({ app, scope: '@io.svc.apps/drive', permissions: [] })
    const text = sealConsent(services, linked, SESSION, NOTHING)
    expect(() => checkConsent(services, text, linked, SESSION, NOTHING)).not.to.throw()
    refuses(text, { ...linked, scope: '@io.svc.apps/notes' })
  })

  it('holds for an hour', () => {
    const text = sealed()
    clock.advance(3_540_000)
    expect(() => checkConsent(services, text, request(), SESSION, NOTHING)).not.to.throw()
    clock.advance(61_000)
    refuses(text)
  })

  it('refuses what is no seal, or one of something else', () => {
    for (const text of [
      '',
      'x',
      'k1.',
      'k1.AAAA',
      `k1.${'A'.repeat(60)}`,
      'nokey.AAAA',
      '\u0000',
    ]) {
      refuses(text)
    }
    refuses(sealer.seal('{}', 'client-secret:x'))
  })

  it('has one spelling (D103)', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const state of ['s', 'st', 'sta']) {
      const shown = request({ state })
      const text = sealConsent(services, shown, SESSION, NOTHING)
      const last = alphabet.indexOf(text.slice(-1))
      const strays = [1, 2, 3].map((bits) => text.slice(0, -1) + (alphabet[last ^ bits] ?? ''))
      for (const other of [`${text}=`, `${text}==`, `${text}.`, ` ${text}`, `${text} `, ...strays])
        expect(() => checkConsent(services, other, shown, SESSION, NOTHING), other).to.throw()
    }
  })

  it('refuses every flipped bit', () => {
    const text = sealed()
    const body = Buffer.from(text.slice(3), 'base64url')
    for (let at = 0; at < body.length; at += 7) {
      const changed = Buffer.from(body)
      changed[at] = (changed[at] ?? 0) ^ 1
      const forged = `k1.${changed.toString('base64url')}`
      expect(() => checkConsent(services, forged, request(), SESSION, NOTHING)).to.throw()
    }
  })
})
