import { originOfApp } from '@svc/platform'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  homeTarget,
  locationOf,
  parseTarget,
  withoutSessionCode,
} from '../../../src/web/redirect-target.ts'
import { sampleApps, sampleInstance } from '../../support/sample-instance.ts'

const apps = sampleApps('drive', 'home', 'notes')
const strict = { apps, options: { requireInstalledApp: true, homeSlug: 'home' } }
const lax = { apps, options: { requireInstalledApp: false, homeSlug: 'home' } }
const nested = sampleInstance()
const flat = sampleInstance({ subdomains: 'flat' })
const plain = sampleInstance({ domain: 'alice.localhost:8080', isHttps: false })

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

describe('redirect validation (login.md 4.6)', () => {
  const base = 'https://alice.example.com'
  const accepted: readonly [raw: string, href: string][] = [
    [`${base}/`, `${base}/`],
    [base, `${base}/`],
    [`${base}:443/x`, `${base}/x`],
    ['https://ALICE.example.com/x', `${base}/x`],
    [`${base}/auth/authorize?a=%20b&c=d#x`, `${base}/auth/authorize?a=%20b&c=d`],
    ['https://alice.org/x', 'https://alice.org/x'],
    ['https://drive.alice.example.com/a?b#c', 'https://drive.alice.example.com/a?b#c'],
    [`${base}/a/../b`, `${base}/b`],
    [`${base}/é`, `${base}/%C3%A9`],
    ['drive', 'https://drive.alice.example.com/'],
    ['drive/', 'https://drive.alice.example.com/'],
    ['drive/a/b?c=d#e/f', 'https://drive.alice.example.com/a/b?c=d#e/f'],
    ['drive?c', 'https://drive.alice.example.com/?c'],
    ['drive#/folder', 'https://drive.alice.example.com/#/folder'],
    ['drive//evil.com', 'https://drive.alice.example.com//evil.com'],
    ['drive/@evil.com', 'https://drive.alice.example.com/@evil.com'],
  ]
  for (const [raw, href] of accepted) {
    it(`accepts ${raw}`, async () => {
      expect((await parseTarget(strict, nested, raw)).href).to.equal(href)
    })
  }

  const refused: readonly string[] = [
    'https://evil.com/',
    'https://evil.com',
    '//evil.com',
    '///evil.com',
    '/x',
    '/',
    '.',
    '..',
    'foo.bar',
    ' ',
    ' drive',
    'drive ',
    'drive/a b',
    'drive\t',
    'drive\n',
    'drive\r\nLocation: https://evil.com',
    'drive\u0000',
    'drive\u007f',
    'drive\u0085',
    'drive\u2028',
    'drive\\',
    '\\\\evil.com',
    'https:\\\\evil.com',
    'drive/\ud800',
    'Drive',
    'driveX',
    'unknown',
    'unknown/path',
    'https:alice.example.com',
    'https:/alice.example.com',
    'https:///alice.example.com/',
    'https:///evil.com',
    'HTTPS://alice.example.com/',
    'http://alice.example.com/',
    'http://drive.alice.example.com/',
    'ftp://alice.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'drive:80',
    'https://alice.example.com:8443/',
    'https://alice.example.com./',
    'https://drive.alice.example.com./',
    'https://me@alice.example.com/',
    'https://me:secret@alice.example.com/',
    'https://@alice.example.com/',
    'https://alice.example.com@evil.com/',
    'https://alice.example.com%40evil.com/',
    'https://evil.com#@alice.example.com/',
    'https://evil.com/alice.example.com',
    'https://evil.com?alice.example.com',
    'https://alice.example.com.evil.com/',
    'https://evilalice.example.com/',
    'https://a.drive.alice.example.com/',
    'https://.alice.example.com/',
    'https://-drive.alice.example.com/',
    'https://dri_ve.alice.example.com/',
    'https://unknown.alice.example.com/',
    'https://alice%09.example.com/',
    'https://alice%0d%0a.example.com/',
    'https://alice%5c.example.com/',
    'https://alice%20.example.com/',
    'https://alice%zz.example.com/',
    'https://%ff.example.com/',
    'https://[::1]/',
    'https://drive.alice.org/',
    'https://example.com/',
    'https://',
    `drive/${'a'.repeat(2050)}`,
    `${base}/x?${'a'.repeat(2050)}`,
    `${base}/auth/authorize?${'a'.repeat(12_300)}`,
  ]
  for (const raw of refused) {
    it(`refuses ${JSON.stringify(raw.slice(0, 60))}`, async () => {
      const error = await parseTarget(strict, nested, raw).catch((thrown: unknown) => thrown)
      expect(codeOf(error)).to.equal('bad_redirect')
    })
  }

  it('accepts an app that is not installed only when told to (D13)', async () => {
    const raw = 'https://unknown.alice.example.com/'
    expect((await parseTarget(lax, nested, raw)).slug).to.equal('unknown')
    const error = await parseTarget(lax, nested, 'unknown').catch((thrown: unknown) => thrown)
    expect(codeOf(error)).to.equal('bad_redirect')
  })

  it('lets only an authorization be long (D54)', async () => {
    const long = `${base}/auth/authorize?state=${'a'.repeat(12_288 - base.length - 22)}`
    expect(long).to.have.lengthOf(12_288)
    expect((await parseTarget(strict, nested, long)).href).to.equal(long)
    const sharing = `${base}/auth/authorize/sharing?state=${'a'.repeat(3000)}`
    expect((await parseTarget(strict, nested, sharing)).href).to.equal(sharing)
  })

  it('knows the app hosts of flat subdomains', async () => {
    const target = await parseTarget(strict, flat, 'https://alice-drive.example.com/x')
    expect(target).to.include({ slug: 'drive', href: 'https://alice-drive.example.com/x' })
    expect((await parseTarget(strict, flat, 'drive/x')).href).to.equal(
      'https://alice-drive.example.com/x',
    )
    for (const raw of [
      'https://drive.alice.example.com/',
      'https://bob-drive.example.com/',
      'https://alice-.example.com/',
      'https://alice-drive.evil.com/',
    ]) {
      const error = await parseTarget(strict, flat, raw).catch((thrown: unknown) => thrown)
      expect(codeOf(error), raw).to.equal('bad_redirect')
    }
  })

  it('accepts http and the port where the base has them', async () => {
    const target = await parseTarget(strict, plain, 'http://drive.alice.localhost:8080/x')
    expect(target).to.include({ slug: 'drive', href: 'http://drive.alice.localhost:8080/x' })
    for (const raw of ['http://alice.localhost/', 'http://alice.localhost:8081/']) {
      const error = await parseTarget(strict, plain, raw).catch((thrown: unknown) => thrown)
      expect(codeOf(error), raw).to.equal('bad_redirect')
    }
  })

  it('opens a short session for authorizations, except those that only log in', async () => {
    const isAuthorize = async (path: string): Promise<boolean> =>
      (await parseTarget(strict, nested, base + path)).isAuthorize
    expect(await isAuthorize('/auth/authorize?scope=io.svc.files')).to.equal(true)
    expect(await isAuthorize('/auth/authorize')).to.equal(true)
    expect(await isAuthorize('/auth/authorize?scope=login')).to.equal(false)
    expect(await isAuthorize('/auth/login')).to.equal(false)
    expect(await isAuthorize('/')).to.equal(false)
  })
})

describe('any text as redirect', () => {
  const bits = fc.constantFrom(
    'https:',
    'http:',
    '//',
    '/',
    '\\',
    '@',
    ':',
    '#',
    '?',
    '%',
    '%2f',
    '%40',
    '.',
    'evil.com',
    'alice.example.com',
    'drive',
    'alice-drive.example.com',
    '443',
    '\t',
    '\u0000',
    ' ',
    '[::1]',
    '\ud800',
    '\u2028',
    '\u3002',
    '\uff0e',
    'ⓔvil',
    '..',
    ';',
    '&',
    'session_code=x',
  )
  const texts = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(bits, fc.string()), { maxLength: 8 }).map((parts) => parts.join('')),
  )
  const own = ['https://alice.example.com', 'https://alice.org']
  const instances: readonly [typeof nested, readonly string[]][] = [
    [nested, [...own, 'drive', 'home', 'notes'].map((name) => urlOf(name, nested))],
    [flat, [...own, 'drive', 'home', 'notes'].map((name) => urlOf(name, flat))],
  ]

  it('leads to the instance or one of its installed apps, or nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...instances), async (raw, [instance, allowed]) => {
        try {
          const target = await parseTarget(strict, instance, raw)
          for (const fragment of ['keep', 'empty'] as const) {
            const location = locationOf(target, { fragment, sessionCode: 'c0de' })
            expect(allowed).to.include(new URL(location).origin)
            expect(location).to.match(/^[\u0021-\u007e]+$/)
          }
        } catch (error) {
          if (codeOf(error) !== 'bad_redirect') throw error
        }
      }),
      { numRuns: 3000 },
    )
  })

  function urlOf(name: string, instance: typeof nested): string {
    return name.startsWith('https:') ? name : originOfApp(instance, name)
  }
})

describe('the default target', () => {
  const cases: readonly [defaultRedirection: string | undefined, href: string][] = [
    [undefined, 'https://home.alice.example.com/'],
    ['', 'https://home.alice.example.com/'],
    ['drive/recent', 'https://drive.alice.example.com/recent'],
    ['drive/#/recent', 'https://drive.alice.example.com/#/recent'],
    ['https://drive.alice.example.com/', 'https://home.alice.example.com/'],
    ['https://evil.com/', 'https://home.alice.example.com/'],
    ['removed', 'https://home.alice.example.com/'],
    ['//evil.com', 'https://home.alice.example.com/'],
  ]
  for (const [defaultRedirection, href] of cases) {
    it(`is ${href} for ${defaultRedirection}`, async () => {
      const instance = sampleInstance(
        defaultRedirection === undefined ? {} : { defaultRedirection },
      )
      expect((await homeTarget(strict, instance)).href).to.equal(href)
    })
  }
})

describe('locationOf', () => {
  const own = { href: 'https://a.org/x?y', origin: 'https://a.org', isAuthorize: false }
  const app = { ...own, slug: 'drive', href: 'https://drive.a.org/?y#z' }

  it('ends with an empty fragment on the own host, always', () => {
    expect(locationOf(own, { fragment: 'keep' })).to.equal('https://a.org/x?y#')
    expect(locationOf(own, { fragment: 'empty' })).to.equal('https://a.org/x?y#')
  })

  it("keeps an app's fragment after a form, and empties it otherwise", () => {
    expect(locationOf(app, { fragment: 'keep' })).to.equal('https://drive.a.org/?y#z')
    expect(locationOf(app, { fragment: 'empty' })).to.equal('https://drive.a.org/?y#')
  })

  it('adds the session code to the query, in place of any other', () => {
    const sessionCode = 'c0de'
    expect(locationOf(app, { fragment: 'keep', sessionCode })).to.equal(
      'https://drive.a.org/?y&session_code=c0de#z',
    )
    const tricky = { ...app, href: 'https://drive.a.org/?%73ession_code=old&y&session_code=x' }
    expect(locationOf(tricky, { fragment: 'empty', sessionCode })).to.equal(
      'https://drive.a.org/?y&session_code=c0de#',
    )
  })
})

describe('withoutSessionCode', () => {
  it('takes out that parameter and nothing else', () => {
    const cases: readonly [string, string][] = [
      ['https://a.org/', 'https://a.org/'],
      ['https://a.org/?session_code=x', 'https://a.org/'],
      ['https://a.org/?a=%2B+b&session_code=x&c', 'https://a.org/?a=%2B+b&c'],
      ['https://a.org/?session_code', 'https://a.org/'],
      ['https://a.org/?session_codes=x&%zz=1', 'https://a.org/?session_codes=x&%zz=1'],
    ]
    for (const [from, to] of cases) expect(withoutSessionCode(from)).to.equal(to)
  })
})
