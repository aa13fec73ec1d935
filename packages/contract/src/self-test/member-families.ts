import { type Family, literally, type Mutation } from './mutation.ts'
import { objectOf } from './object-of.ts'

export const members: Family = ({ label, answer }) => {
  const value = objectOf(answer)
  if (value === undefined) return []
  const with_ = (name: string, family: string, changed: unknown, reason: RegExp): Mutation => ({
    name,
    family,
    at: label,
    reason,
    answer: { ...answer, body: JSON.stringify(changed) },
  })
  return [
    ...pathsOf(value).flatMap((path) => {
      const last = path.at(-1) ?? ''
      const reason = new RegExp(
        `${literally(last)}|${path.map(literally).join('|')}|is not|differ|no |another|took|closed|open`,
      )
      return [
        with_(
          `without ${path.join('.')}`,
          'member dropped',
          changedAt(value, path, undefined),
          reason,
        ),
        with_(
          `another ${path.join('.')}`,
          'value swapped',
          changedAt(value, path, 'changed'),
          reason,
        ),
        with_(`${path.join('.')} retyped`, 'member retyped', changedAt(value, path, 7), reason),
        with_(
          `${path.join('.')} as a list`,
          'member retyped',
          changedAt(value, path, ['one', 'two']),
          reason,
        ),
      ]
    }),
    ...[
      'flagship',
      'jwks_uri',
      'message',
      'registration_access_token',
      'client_secret',
      'access_token',
      'contract_unknown_member',
      'policy_uri',
      'client_uri',
      'certified_from_store',
      'pending',
    ].map((name) =>
      with_(`with ${name}`, 'member added', { [name]: 'added', ...value }, new RegExp(name)),
    ),
  ]
}

/** The client gets what it asked for, whether it may or not. */
export const echoed: Family = ({ label, request, answer }) => {
  const sent = objectOf({ ...answer, body: request.body ?? '' })
  const value = objectOf(answer)
  if (sent === undefined || value === undefined) return []
  return Object.keys(sent)
    .filter((name) => name in value)
    .map((name) => ({
      name: `${name} as it was asked for`,
      family: 'value echoed',
      at: label,
      reason: new RegExp(literally(name)),
      answer: { ...answer, body: JSON.stringify({ ...value, [name]: sent[name] }) },
    }))
}

/** Names of members, and of those below them. */
function pathsOf(
  value: Readonly<Record<string, unknown>>,
  depth = 3,
): readonly (readonly string[])[] {
  return Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...(depth > 1 && typeof member === 'object' && member !== null && !Array.isArray(member)
      ? pathsOf(member as Record<string, unknown>, depth - 1).map((path) => [name, ...path]) // an object that was parsed
      : []),
  ])
}

function changedAt(
  value: Readonly<Record<string, unknown>>,
  [name = '', ...rest]: readonly string[],
  changed: unknown,
): Record<string, unknown> {
  const below = value[name]
  const next =
    rest.length === 0 ? changed : changedAt((below ?? {}) as Record<string, unknown>, rest, changed) // on the way of `pathsOf`
  return { ...value, [name]: next }
}
