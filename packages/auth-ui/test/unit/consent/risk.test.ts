import { type ClientId, CONSENT_DURATIONS, type ConsentView, parseScope } from '@svc/oauth-core'
import { expect } from 'chai'
import { cautionOf } from '../../../src/consent/caution.ts'
import { presetDuration } from '../../../src/consent/duration-preset.ts'
import { imitated } from '../../../src/consent/look-alike.ts'
import { createMessages } from '../../../src/messages.ts'

const OPTIONS = {
  namespace: 'io.svc',
  messages: createMessages().forLocale('en'),
  findText: () => undefined,
}
const WEB = 'https://app.example.com/callback'
const LOCAL = 'http://localhost:4000/callback'
const LINKED = { slug: 'drive', name: 'Drive', permissions: {}, routes: {} }

interface Asking {
  readonly scope?: string
  readonly to?: string
  readonly isNew?: boolean
  readonly isCertified?: boolean
  readonly isLinked?: boolean
  readonly kind?: string
  readonly says?: string
  readonly name?: string
  readonly leavesTo?: 'program' | 'site'
  readonly duration?: ConsentView['duration']
}

function viewOf({ scope = 'io.svc.files', to = WEB, ...asking }: Asking): ConsentView {
  const { isNew = true, isCertified = false, isLinked = false, leavesTo, duration } = asking
  return {
    client: {
      id: 'b1946ac92492d2347c6235b4d2611184' as ClientId,
      metadata: {
        redirect_uris: [to],
        client_name: asking.name ?? 'Sync',
        software_id: 'com.example.sync',
        ...(asking.kind === undefined ? {} : { client_kind: asking.kind }),
        ...(asking.says === undefined ? {} : { client_uri: asking.says }),
      },
      pending: isNew,
      flagship: isCertified,
      certifiedFromStore: false,
      createdAt: 0,
      updatedAt: 0,
    },
    ...(isLinked ? { linkedApp: LINKED } : {}),
    permissions: parseScope(scope) ?? [],
    permissionChoice: 'open',
    allowedBefore: [],
    durations: CONSENT_DURATIONS,
    ...(duration === undefined ? {} : { duration }),
    signs: {
      isSelfRegistered: !isCertified && !isLinked,
      isCertified,
      isNew,
      ...(leavesTo === undefined ? {} : { leavesTo }),
    },
    redirectUri: to,
    cancelUrl: '/',
    fields: {},
  }
}

describe('the time that the consent page proposes', () => {
  const CASES: readonly (readonly [why: string, asking: Asking, duration: string])[] = [
    ['an app of the space', { isLinked: true, to: LOCAL }, 'until_revoked'],
    ['a certified app', { isCertified: true, scope: '*' }, 'until_revoked'],
    ['reading what is not sensitive', { scope: 'io.svc.tags:GET' }, 'until_revoked'],
    ['the same for a program here', { scope: 'io.svc.tags:GET', to: LOCAL }, 'until_revoked'],
    ['reading what is sensitive, on a site', { scope: 'io.svc.contacts:GET' }, '30d'],
    ['the same for a new program here', { scope: 'io.svc.contacts:GET', to: LOCAL }, '1d'],
    ['a wildcard over it', { scope: 'io.svc.sessions.*:GET', to: LOCAL }, '1d'],
    ['reading what has no name', { scope: 'com.example.a:GET', to: LOCAL }, '1d'],
    ['deleting anything', { scope: 'io.svc.tags:DELETE', to: LOCAL }, '1d'],
    ['adding what is not sensitive', { scope: 'io.svc.tags:POST', to: LOCAL }, '30d'],
    ['a program that synchronizes', { to: LOCAL, kind: 'desktop' }, '30d'],
    ['a telephone', { to: LOCAL, kind: 'mobile' }, '30d'],
    ['a program that was allowed before', { to: LOCAL, isNew: false }, '30d'],
    ['a program by its own scheme', { to: 'sync://done' }, '30d'],
    ['the last choice of the owner', { to: LOCAL, duration: '1h' }, '1h'],
  ]
  for (const [why, asking, duration] of CASES) {
    it(`is ${duration} for ${why}`, () => {
      expect(presetDuration(viewOf(asking), OPTIONS)).to.equal(duration)
    })
  }

  it('takes the word of the host for what is sensitive', () => {
    const isSensitive = (type: string): boolean => type === 'io.svc.tags'
    const view = viewOf({ scope: 'io.svc.tags:GET', to: LOCAL })
    expect(presetDuration(view, { ...OPTIONS, isSensitive })).to.equal('1d')
  })
})

describe('the caution of the consent page', () => {
  const NAMES = ['Home', 'Drive', 'Alice Martin', 'Cloud & Co']
  const SITE = { says: 'https://sync.example.org', leavesTo: 'site' as const }
  const CASES: readonly (readonly [why: string, asking: Asking, key: string | undefined])[] = [
    ['the name of an app', { name: 'Drive', ...SITE }, 'imitation'],
    ['the same, certified', { name: 'Drive', isCertified: true }, undefined],
    ['the same, of the space', { name: 'Drive', isLinked: true }, undefined],
    [
      'everything',
      { scope: '*', isCertified: true, leavesTo: 'program', to: 'a://b' },
      'everything',
    ],
    ['another site', SITE, 'addresses'],
    ['another site of a known client', { ...SITE, isNew: false }, 'addresses'],
    ['a site that is named nowhere', { scope: 'io.svc.tags', leavesTo: 'site' }, undefined],
    ['a new program', { leavesTo: 'program', to: LOCAL }, 'started'],
    ['a known program', { leavesTo: 'program', to: LOCAL, isNew: false }, undefined],
    ['deleting what is sensitive', {}, 'delete'],
    ['deleting it, known', { isNew: false }, undefined],
    ['deleting what is not', { scope: 'io.svc.tags' }, undefined],
    ['reading what is sensitive', { scope: 'io.svc.files:GET' }, undefined],
  ]
  for (const [why, asking, key] of CASES) {
    it(`is ${key ?? 'none'} for ${why}`, () => {
      const caution = cautionOf(viewOf(asking), NAMES, OPTIONS)
      expect(caution?.key).to.equal(key && `consent.caution.${key}`)
    })
  }

  it('offers no box to untick where there is none', () => {
    const view = { ...viewOf({}), permissionChoice: 'off' as const }
    expect(cautionOf(view, NAMES, OPTIONS)).to.not.have.property('textKey')
  })
})

describe('a name that looks like another', () => {
  const NAMES = ['Home', 'Drive', 'Box', '']
  const CASES: readonly (readonly [name: string, of: string | undefined])[] = [
    ['Drive', 'Drive'],
    ['DRIVE for Android', 'Drive'],
    ['MyDrive', 'Drive'],
    ['Dr\u0456ve', 'Drive'],
    ['Dri\u03bde', 'Drive'],
    ['Drlve', 'Drive'],
    ['D r i v e', 'Drive'],
    ['D\u200brive', 'Drive'],
    ['\uff24\uff52\uff49\uff56\uff45', 'Drive'],
    ['Dríve', 'Drive'],
    ['H0me', 'Home'],
    ['Horne', 'Home'],
    ['B\u043ex', 'Box'],
    ['Mailbox', undefined],
    ['My box', 'Box'],
    ['Calendar', undefined],
    ['', undefined],
  ]
  for (const [name, of] of CASES) {
    it(`${JSON.stringify(name)} is ${of ?? 'nobody'}`, () => {
      expect(imitated(name, NAMES)).to.equal(of)
    })
  }
})
