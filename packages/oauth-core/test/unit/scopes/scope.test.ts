import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Permission, VERBS } from '../../../src/scopes/permission.ts'
import { parseScope, serializeScope } from '../../../src/scopes/scope.ts'
import { permissionsArbitrary } from './arbitraries.ts'

const ALL = VERBS

describe('parseScope', () => {
  const accepted: readonly (readonly [string, readonly Permission[]])[] = [
    ['io.svc.files', [{ type: 'io.svc.files', verbs: ALL }]],
    ['io.svc.files:ALL', [{ type: 'io.svc.files', verbs: ALL }]],
    ['io.svc.files:GET', [{ type: 'io.svc.files', verbs: ['GET'] }]],
    ['io.svc.files:DELETE,GET', [{ type: 'io.svc.files', verbs: ['GET', 'DELETE'] }]],
    ['io.svc.files:GET,GET', [{ type: 'io.svc.files', verbs: ['GET'] }]],
    ['files', [{ type: 'files', verbs: ALL }]],
    ['io.svc.bank.*:GET', [{ type: 'io.svc.bank.*', verbs: ['GET'] }]],
    ['io.svc.a_b.c9', [{ type: 'io.svc.a_b.c9', verbs: ALL }]],
    ['*', [{ type: '*', verbs: ALL }]],
    [
      'io.svc.contacts io.svc.files:GET:io.svc.files.music-dir io.svc.jobs:POST:sendmail:worker',
      [
        { type: 'io.svc.contacts', verbs: ALL },
        { type: 'io.svc.files', verbs: ['GET'], values: ['io.svc.files.music-dir'] },
        { type: 'io.svc.jobs', verbs: ['POST'], values: ['sendmail'], selector: 'worker' },
      ],
    ],
    ['io.svc.files:ALL:a,b', [{ type: 'io.svc.files', verbs: ALL, values: ['a', 'b'] }]],
    ['io.svc.files:GET:!#[]~/?@', [{ type: 'io.svc.files', verbs: ['GET'], values: ['!#[]~/?@'] }]],
  ]
  for (const [text, permissions] of accepted) {
    it(`reads ${text}`, () => {
      expect(parseScope(text)).to.deep.equal(permissions)
    })
  }

  const many = (count: number, text: string, separator: string): string =>
    Array.from({ length: count }, () => text).join(separator)

  it('reads 64 rules of 100 values', () => {
    const rule = `io.svc.files:GET:${many(100, 'x', ',')}`
    expect(parseScope(many(64, rule, ' '))).to.have.length(64)
  })

  const refused: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['a leading space', ' io.svc.files'],
    ['a trailing space', 'io.svc.files '],
    ['two spaces', 'io.svc.files  io.svc.contacts'],
    ['a tab', 'io.svc.files\tio.svc.contacts'],
    ['a line feed', 'io.svc.files\n'],
    ['an empty rule', ':GET'],
    ['five parts', 'io.svc.files:GET:a:b:c'],
    ['upper case in a type', 'io.svc.Files'],
    ['a hyphen in a type', 'io.svc.my-files'],
    ['a leading dot', '.svc.files'],
    ['a trailing dot', 'io.svc.files.'],
    ['two dots', 'io..svc'],
    ['a non-ASCII type', 'io.svc.fichiérs'],
    ['a homoglyph', 'io.svc.fіles'],
    ['empty verbs', 'io.svc.files:'],
    ['an unknown verb', 'io.svc.files:read'],
    ['a lower-case verb', 'io.svc.files:get'],
    ['HEAD', 'io.svc.files:HEAD'],
    ['ALL among others', 'io.svc.files:ALL,GET'],
    ['a trailing comma of verbs', 'io.svc.files:GET,'],
    ['an unknown verb behind many', 'io.svc.files:GET,GET,GET,GET,GET,GET,BAD'],
    ['empty values', 'io.svc.files:GET:'],
    ['an empty value', 'io.svc.files:GET:a,,b'],
    ['an empty selector', 'io.svc.files:GET:a:'],
    ['a comma in a selector', 'io.svc.files:GET:a:b,c'],
    ['a quote in a value', 'io.svc.files:GET:a"b'],
    ['a backslash in a value', 'io.svc.files:GET:a\\b'],
    ['a NUL in a value', 'io.svc.files:GET:a\u0000'],
    ['a non-ASCII value', 'io.svc.files:GET:é'],
    ['* with another rule', '* io.svc.files'],
    ['* with verbs', '*:GET'],
    ['a wildcard with two dots', 'io.svc.*'],
    ['a wildcard with one dot', 'files.*'],
    ['a wildcard of another domain', 'com.x.*'],
    ['a wildcard in front', '*.x'],
    ['a wildcard inside', 'io.*.files.x'],
    ['half a wildcard', 'io.svc.bank.acc*'],
    ['a wildcard without a dot', 'io.svc.bank*'],
    ['login', 'login'],
    ['openid', 'openid io.svc.files'],
    ['offline_access', 'io.svc.files offline_access'],
    ['a reserved word with verbs', 'openid:GET'],
    ['a linked scope', '@io.svc.apps/drive'],
    ['65 rules', many(65, 'io.svc.files', ' ')],
    ['101 values', `io.svc.files:GET:${many(101, 'x', ',')}`],
    ['__proto__ with capitals', 'io.svc.files:GET:x:\u007f'],
  ]
  for (const [what, text] of refused) {
    it(`refuses ${what}`, () => {
      expect(parseScope(text)).to.equal(undefined)
    })
  }

  const hostile: readonly (readonly [string, string])[] = [
    ['letters', 'a'.repeat(50_000)],
    ['dots', 'a.'.repeat(25_000)],
    ['spaces', ' '.repeat(50_000)],
    ['colons', ':'.repeat(50_000)],
    ['commas', `io.svc.files:GET:${','.repeat(50_000)}`],
    ['values', `io.svc.files:GET:${'a,'.repeat(25_000)}`],
    ['verbs', `io.svc.files:${'GET,'.repeat(12_500)}`],
    ['one long value', `io.svc.files:GET:${'a'.repeat(50_000)}"`],
    ['a near wildcard', `${'a.'.repeat(25_000)}*.`],
    ['rules', 'io.svc.files '.repeat(4_000)],
  ]
  for (const [what, text] of hostile) {
    it(`judges 50 KB of ${what} in 50 ms`, async () => {
      expect(await cpuMs(() => void parseScope(text))).to.be.below(scaledLimit(50))
    })
  }
})

describe('serializeScope', () => {
  it('leaves the verbs out of a rule that has all and no values', () => {
    expect(serializeScope([{ type: 'io.svc.files', verbs: ALL }])).to.equal('io.svc.files')
  })

  it('writes ALL in front of values', () => {
    const rule: Permission = { type: 'io.svc.files', verbs: ALL, values: ['a'] }
    expect(serializeScope([rule])).to.equal('io.svc.files:ALL:a')
  })

  it('writes verbs in their fixed order', () => {
    const rule: Permission = { type: 'io.svc.files', verbs: ['DELETE', 'POST', 'GET'] }
    expect(serializeScope([rule])).to.equal('io.svc.files:GET,POST,DELETE')
  })

  it('writes what parseScope reads back', () => {
    fc.assert(
      fc.property(permissionsArbitrary, (permissions) => {
        expect(parseScope(serializeScope(permissions))).to.deep.equal(permissions)
      }),
    )
  })
})
