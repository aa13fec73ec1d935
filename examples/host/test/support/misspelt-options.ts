import type { AnyOption, Members } from '@svc/platform/options'

/** Options in which one name is misspelt. */
export interface MisspeltOption {
  readonly options: object
  /** Of the misspelt name. */
  readonly path: string
  /** The name that was meant. */
  readonly meant: string
}

/** Puts a value where a member of the options stands. */
type Place = (value: unknown) => object

/** Each name of a definition misspelt by one letter, at every depth, among options that are right. */
export function misspeltOptions(members: Members, right: object): MisspeltOption[] {
  return misspeltMembers(members, 'options', (value) => ({ ...right, ...Object(value) }))
}

function misspeltMembers(members: Members, path: string, place: Place): MisspeltOption[] {
  const names = Object.keys(members)
  return Object.entries(members).flatMap(([name, option]) => [
    misspelt(name, names, path, place),
    ...misspeltInside(option, `${path}.${name}`, (value) => place({ [name]: value })),
  ])
}

function misspeltInside({ shape }: AnyOption, path: string, place: Place): MisspeltOption[] {
  switch (shape.kind) {
    case 'object':
      return misspeltMembers(shape.members, path, place)
    case 'list':
      return misspeltInside(shape.item, `${path}[0]`, (value) => place([value]))
    case 'record':
      return misspeltInside(shape.item, `${path}.one`, (value) => place({ one: value }))
    case 'either':
      return shape.ways.flatMap((way) => misspeltInside(way, path, place))
    case 'port': {
      const { methods, optionalMethods } = shape
      const port = Object.fromEntries(methods.map((name) => [name, () => {}]))
      return optionalMethods.map((name) =>
        misspelt(name, [...methods, ...optionalMethods], path, (value) =>
          place({ ...port, ...Object(value) }),
        ),
      )
    }
    case 'function':
    case 'instance':
    case 'value':
      return []
  }
}

function misspelt(
  name: string,
  names: readonly string[],
  path: string,
  place: Place,
): MisspeltOption {
  const middle = Math.floor(name.length / 2)
  const wrong = [
    name.slice(0, middle) + name.slice(middle + 1),
    `${name.slice(0, middle)}x${name.slice(middle)}`,
  ].find((text) => text !== '' && !names.includes(text))
  return { options: place({ [wrong ?? '']: 1 }), path: `${path}.${wrong}`, meant: name }
}

/** Each option of a definition, at every depth. */
export function everyOption(
  members: Members,
  path = 'options',
): { readonly path: string; readonly option: AnyOption }[] {
  return Object.entries(members).flatMap(([name, option]) => inside(option, `${path}.${name}`))
}

function inside(option: AnyOption, path: string): ReturnType<typeof everyOption> {
  const { shape } = option
  const own = { path, option }
  if (shape.kind === 'object') return [own, ...everyOption(shape.members, path)]
  if (shape.kind === 'list' || shape.kind === 'record') return [own, ...inside(shape.item, path)]
  return shape.kind === 'either' ? [own, ...shape.ways.flatMap((way) => inside(way, path))] : [own]
}
