import { expect } from 'chai'
import fc from 'fast-check'
import { isAllowed, isConceivable, isSubset } from '../../../src/scopes/evaluate.ts'
import type { Permission, Verb } from '../../../src/scopes/permission.ts'
import {
  documentArbitrary,
  permissionsArbitrary,
  plainTypeArbitrary,
  rules,
  verbArbitrary,
} from './arbitraries.ts'

describe('isAllowed', () => {
  const cases: readonly (readonly [
    string,
    Verb,
    string,
    Record<string, unknown> | undefined,
    boolean,
  ])[] = [
    ['io.svc.files', 'DELETE', 'io.svc.files', undefined, true],
    ['io.svc.files:GET', 'GET', 'io.svc.files', { id: 'x' }, true],
    ['io.svc.files:GET', 'POST', 'io.svc.files', undefined, false],
    ['io.svc.files:GET', 'GET', 'io.svc.files.versions', undefined, false],
    ['io.svc.bank.*', 'GET', 'io.svc.bank', undefined, true],
    ['io.svc.bank.*', 'GET', 'io.svc.bank.accounts', undefined, true],
    ['io.svc.bank.*', 'GET', 'io.svc.bank.accounts.old', undefined, true],
    ['io.svc.bank.*', 'GET', 'io.svc.banks', undefined, false],
    ['io.svc.bank.*', 'GET', 'io.svc', undefined, false],
    ['io.svc.files:GET:a,b', 'GET', 'io.svc.files', { id: 'b' }, true],
    ['io.svc.files:GET:a,b', 'GET', 'io.svc.files', { id: 'c' }, false],
    ['io.svc.files:GET:a,b', 'GET', 'io.svc.files', {}, false],
    ['io.svc.files:GET:a,b', 'GET', 'io.svc.files', undefined, false],
    ['io.svc.jobs:POST:mail:worker', 'POST', 'io.svc.jobs', { worker: 'mail' }, true],
    ['io.svc.jobs:POST:mail:worker', 'POST', 'io.svc.jobs', { worker: ['sms', 'mail'] }, true],
    ['io.svc.jobs:POST:mail:worker', 'POST', 'io.svc.jobs', { worker: 'sms' }, false],
    ['io.svc.jobs:POST:mail:worker', 'POST', 'io.svc.jobs', { id: 'mail' }, false],
    ['io.svc.jobs:POST:mail:worker', 'POST', 'io.svc.jobs', { worker: { mail: 1 } }, false],
    ['io.svc.jobs:POST:mail:worker', 'POST', 'io.svc.jobs', undefined, false],
    ['io.svc.jobs:POST:Object:constructor', 'POST', 'io.svc.jobs', {}, false],
    ['io.svc.jobs:POST:a:__proto__', 'POST', 'io.svc.jobs', {}, false],
    ['*', 'DELETE', 'anything.at.all', undefined, true],
    ['io.svc.files:GET:a io.svc.files:GET', 'GET', 'io.svc.files', undefined, true],
  ]
  for (const [scope, verb, type, document, expected] of cases) {
    const what = document === undefined ? 'the type' : JSON.stringify(document)
    it(`${expected ? 'allows' : 'denies'} ${verb} ${type} on ${what} with ${scope}`, () => {
      expect(isAllowed(rules(scope), verb, type, document)).to.equal(expected)
    })
  }

  it('agrees with a naive model', () => {
    const cell = fc.tuple(
      permissionsArbitrary,
      verbArbitrary,
      plainTypeArbitrary,
      fc.option(documentArbitrary, { nil: undefined }),
    )
    fc.assert(
      fc.property(cell, ([permissions, verb, type, document]) => {
        expect(isAllowed(permissions, verb, type, document)).to.equal(
          permissions.some((rule) => naive(rule, verb, type, document)),
        )
      }),
      { numRuns: 2000 },
    )
  })
})

/** The sentences of the grammar's section, one by one. */
function naive(
  rule: Permission,
  verb: Verb,
  type: string,
  document: { id?: string; worker?: string | string[] } | undefined,
): boolean {
  const root = rule.type.replace(/\.\*$/, '')
  const isBelow = rule.type !== root && type.slice(0, root.length + 1) === `${root}.`
  if (type !== root && !isBelow) return false
  if (!rule.verbs.includes(verb)) return false
  if (rule.values === undefined) return true
  if (document === undefined) return false
  const named =
    rule.selector === undefined
      ? document.id
      : rule.selector === 'worker'
        ? document.worker
        : undefined
  const list = named === undefined ? [] : [named].flat()
  return list.some((item) => rule.values?.includes(item))
}

describe('isConceivable', () => {
  it('lets a rule with values through, for some document may be named by it', () => {
    expect(isConceivable(rules('io.svc.files:GET:a'), 'GET', 'io.svc.files')).to.equal(true)
  })

  it('needs the verb and the type', () => {
    expect(isConceivable(rules('io.svc.files:GET'), 'POST', 'io.svc.files')).to.equal(false)
    expect(isConceivable(rules('io.svc.files'), 'GET', 'io.svc.contacts')).to.equal(false)
  })
})

describe('isSubset', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['io.svc.files:GET', 'io.svc.files', true],
    ['io.svc.files', 'io.svc.files:GET', false],
    ['io.svc.files:GET:a', 'io.svc.files:GET', true],
    ['io.svc.files:GET:a', 'io.svc.files:GET:a,b', true],
    ['io.svc.files:GET:a,c', 'io.svc.files:GET:a,b', false],
    ['io.svc.files:GET', 'io.svc.files:GET:a', false],
    ['io.svc.jobs:POST:a:worker', 'io.svc.jobs:POST:a,b:worker', true],
    ['io.svc.jobs:POST:a', 'io.svc.jobs:POST:a:worker', false],
    ['io.svc.jobs:POST:a:other', 'io.svc.jobs:POST:a:worker', false],
    ['io.svc.bank.accounts', 'io.svc.bank.*', true],
    ['io.svc.bank.accounts.*', 'io.svc.bank.*', true],
    ['io.svc.bank.*', 'io.svc.bank.*', true],
    ['io.svc.bank.*', 'io.svc.bank', false],
    ['io.svc.bank.*', 'io.svc.bank.accounts.*', false],
    ['io.svc.banks', 'io.svc.bank.*', false],
    ['io.svc.files io.svc.contacts', 'io.svc.files', false],
    ['io.svc.files:GET,POST', 'io.svc.files:GET io.svc.files:POST', false],
    ['io.svc.files io.svc.contacts', '*', true],
    ['*', '*', false],
    ['*', 'io.svc.files', false],
  ]
  for (const [child, parent, expected] of cases) {
    it(`says ${expected ? 'yes' : 'no'} for ${child} in ${parent}`, () => {
      expect(isSubset(rules(child), rules(parent))).to.equal(expected)
    })
  }

  it('never gives what the parent does not', () => {
    const cell = fc.tuple(
      permissionsArbitrary,
      permissionsArbitrary,
      verbArbitrary,
      plainTypeArbitrary,
      documentArbitrary,
    )
    fc.assert(
      fc.property(cell, ([child, parent, verb, type, document]) => {
        fc.pre(isSubset(child, parent))
        if (isAllowed(child, verb, type, document))
          expect(isAllowed(parent, verb, type, document)).to.equal(true)
        if (isAllowed(child, verb, type)) expect(isAllowed(parent, verb, type)).to.equal(true)
      }),
      { numRuns: 300 },
    )
  })
})
