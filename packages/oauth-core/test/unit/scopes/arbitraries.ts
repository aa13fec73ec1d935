import fc from 'fast-check'
import { type Permission, VERBS, type Verb } from '../../../src/scopes/permission.ts'
import { parseScope } from '../../../src/scopes/scope.ts'

export function rules(text: string): readonly Permission[] {
  const permissions = parseScope(text)
  if (permissions === undefined) throw new Error(`not a scope: ${text}`)
  return permissions
}

/** Few names, so that rules meet each other often. */
const TYPES = [
  'io.svc.bank',
  'io.svc.bank.*',
  'io.svc.bank.accounts',
  'io.svc.bank.accounts.*',
  'io.svc.banks',
  'io.svc.files',
  'files',
]

export const typeArbitrary: fc.Arbitrary<string> = fc.constantFrom(...TYPES)
export const plainTypeArbitrary: fc.Arbitrary<string> = fc.constantFrom(
  ...TYPES.filter((type) => !type.endsWith('*')),
)
export const verbArbitrary: fc.Arbitrary<Verb> = fc.constantFrom(...VERBS)
export const valueArbitrary: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'x/y', '!~')
export const selectorArbitrary: fc.Arbitrary<string> = fc.constantFrom('worker', 'constructor')

const verbs = fc
  .subarray([...VERBS], { minLength: 1 })
  .map((some) => VERBS.filter((verb) => some.includes(verb)))
const values = fc.uniqueArray(valueArbitrary, { minLength: 1, maxLength: 4 })

const ruleArbitrary: fc.Arbitrary<Permission> = fc.oneof(
  fc.record({ type: typeArbitrary, verbs }),
  fc.record({ type: typeArbitrary, verbs, values }),
  fc.record({ type: typeArbitrary, verbs, values, selector: selectorArbitrary }),
)

/** Canonical rules: verbs in order, each once. */
export const permissionsArbitrary: fc.Arbitrary<readonly Permission[]> = fc.array(ruleArbitrary, {
  minLength: 1,
  maxLength: 5,
})

export const documentArbitrary: fc.Arbitrary<{ id?: string; worker?: string | string[] }> =
  fc.record(
    {
      id: valueArbitrary,
      worker: fc.oneof(valueArbitrary, fc.array(valueArbitrary, { maxLength: 3 })),
    },
    { requiredKeys: [] },
  )
