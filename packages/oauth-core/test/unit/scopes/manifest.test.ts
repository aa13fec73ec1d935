import { expect } from 'chai'
import type { ManifestPermission } from '../../../src/ports.ts'
import { linkedScope, slugOfScope, serializeScope } from '../../../src/scopes/scope.ts'
import { manifestPermissions } from '../../../src/scopes/manifest.ts'

describe('manifestPermissions', () => {
  it('reads rules in their order, with their titles', () => {
    const permissions = manifestPermissions({
      zebra: { type: 'io.svc.files', verbs: ['DELETE', 'GET'], description: 'Your files' },
      apple: { type: 'io.svc.jobs', verbs: ['POST'], values: ['mail'], selector: 'worker' },
      all: { type: 'io.svc.contacts', verbs: ['ALL', 'GET'] },
      none: { type: 'io.svc.bank.*' },
    })
    expect(serializeScope(permissions)).to.equal(
      'io.svc.files:GET,DELETE io.svc.jobs:POST:mail:worker io.svc.contacts io.svc.bank.*',
    )
    expect(permissions[0]).to.deep.equal({
      type: 'io.svc.files',
      verbs: ['GET', 'DELETE'],
      title: 'zebra',
      description: 'Your files',
    })
  })

  // Manifests are data of others: what the types forbid comes all the same.
  const bad = (rule: object): ManifestPermission => rule as ManifestPermission
  const refused: readonly (readonly [string, ManifestPermission, string])[] = [
    ['no type', bad({}), 'type'],
    ['*', { type: '*' }, 'type'],
    ['a short wildcard', { type: 'io.svc.*' }, 'type'],
    ['a reserved word', { type: 'openid' }, 'type'],
    ['a list as type', bad({ type: ['io.svc.files'] }), 'type'],
    ['no verb', { type: 'io.svc.files', verbs: [] }, 'verbs'],
    ['an unknown verb', { type: 'io.svc.files', verbs: ['READ'] }, 'verbs'],
    ['ALL beside an unknown verb', { type: 'io.svc.files', verbs: ['ALL', 'READ'] }, 'verbs'],
    ['verbs that are a text', bad({ type: 'io.svc.files', verbs: 'ALL' }), 'verbs'],
    ['no value', { type: 'io.svc.files', values: [] }, 'values'],
    ['an empty value', { type: 'io.svc.files', values: [''] }, 'values'],
    ['a value with a space', { type: 'io.svc.files', values: ['a b'] }, 'values'],
    ['a number as value', bad({ type: 'io.svc.files', values: [1] }), 'values'],
    ['a selector alone', { type: 'io.svc.files', selector: 'name' }, 'selector'],
    ['a malformed selector', { type: 'io.svc.files', values: ['a'], selector: 'a:b' }, 'selector'],
  ]
  for (const [what, rule, member] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => manifestPermissions({ title: rule })).to.throw(
        TypeError,
        `permissions.title.${member}`,
      )
    })
  }

  it('refuses 65 rules', () => {
    const rules = Array.from({ length: 65 }, (_, i) => [`r${i}`, { type: 'io.svc.files' }] as const)
    expect(() => manifestPermissions(Object.fromEntries(rules))).to.throw(TypeError, '64')
  })
})

describe('linkedScope', () => {
  it('is read back by slugOfScope', () => {
    expect(linkedScope('io.svc', 'drive')).to.equal('@io.svc.apps/drive')
    expect(slugOfScope('io.svc', '@io.svc.apps/drive')).to.equal('drive')
  })

  for (const scope of [
    'io.svc.files',
    '@io.svc.apps/',
    '@io.svc.apps/a b',
    '@io.other.apps/drive',
  ]) {
    it(`is not ${scope}`, () => {
      expect(slugOfScope('io.svc', scope)).to.equal(undefined)
    })
  }
})
