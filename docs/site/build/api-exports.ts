import {
  type Comment,
  type DeclarationReflection,
  makeRecursiveVisitor,
  type ProjectReflection,
  type ReferenceReflection,
  type Reflection,
  ReflectionKind,
  type SomeType,
} from 'typedoc'
import type { Entry } from './api-entries.ts'
import type { Snippet } from './code-check.ts'
import type { Named } from './uses.ts'

/** What the packages export: one declaration, or a value and a type of the same name. */
export interface Export {
  /** The first one is that of the module that the declaration stands in; others export it again. */
  readonly names: [Named, ...Named[]]
  readonly declarations: [DeclarationReflection, ...DeclarationReflection[]]
}

/** The exports of a project, by their declarations. */
export type Exports = ReadonlyMap<Reflection, Export>

const TYPES =
  ReflectionKind.Interface | ReflectionKind.TypeAlias | ReflectionKind.Class | ReflectionKind.Enum

/** Everything that the packages export. */
export function exportsOf(project: ProjectReflection, entries: readonly Entry[]): Exports {
  const children = (project.children ?? []).flatMap((module) => {
    const declarations = module.name.replace(/\/index$/, '')
    const entry = entries.find((each) => each.declarations === declarations)
    return (module.children ?? []).map((child) => ({
      child,
      named: { module: entry?.module ?? module.name, name: child.name },
    }))
  })
  const byName = new Map<string, Export>()
  for (const { child, named } of children.filter((each) => !isReference(each.child))) {
    const key = `${named.module} ${named.name}`
    const found = byName.get(key)
    if (found === undefined) byName.set(key, { names: [named], declarations: [child] })
    else found.declarations.push(child)
  }
  const exports = new Map<Reflection, Export>(
    [...byName.values()].flatMap((each) =>
      each.declarations.map((child) => [child, each] as const),
    ),
  )
  for (const { child, named } of children) {
    if (isReference(child)) exports.get(child.getTargetReflectionDeep())?.names.push(named)
  }
  return exports
}

function isReference(reflection: DeclarationReflection): reflection is ReferenceReflection {
  return reflection.kindOf(ReflectionKind.Reference)
}

/** Everything that has words, with the export that it is of. */
export function commented(
  project: ProjectReflection,
  exports: Exports,
): { owner: Export; reflection: Reflection; comment: Comment }[] {
  return Object.values(project.reflections).flatMap((reflection) => {
    const owner = ownerOf(reflection, exports)
    const { comment } = reflection
    return owner === undefined || comment === undefined ? [] : [{ owner, reflection, comment }]
  })
}

function ownerOf(reflection: Reflection, exports: Exports): Export | undefined {
  for (let at: Reflection | undefined = reflection; at !== undefined; at = at.parent) {
    const owner = exports.get(at)
    if (owner !== undefined) return owner
  }
  return undefined
}

/** The examples in the words of exports and of their members. */
export function examplesIn(project: ProjectReflection, exports: Exports): Snippet[] {
  return commented(project, exports).flatMap(({ owner, reflection, comment }) =>
    comment.getTags('@example').map(({ content }) => {
      const text = content.map((part) => part.text).join('')
      const code = text.replaceAll(/^```.*\n|\n?```$/g, '')
      const [about] = owner.names
      return {
        file: `${nameOf(owner)}, example of ${reflection.name}`,
        text: code,
        line: 1,
        about,
      }
    }),
  )
}

/** The exported types that each export names in its declaration. */
export function partsIn(
  project: ProjectReflection,
  exports: Exports,
): ReadonlyMap<Export, ReadonlySet<Export>> {
  const named = new Map<Export, Set<Export>>()
  for (const reflection of Object.values(project.reflections)) {
    const owner = ownerOf(reflection, exports)
    if (owner === undefined) continue
    const parts = named.get(owner) ?? new Set()
    named.set(owner, parts)
    const visitor = makeRecursiveVisitor({
      reference: ({ reflection: target }) => {
        const part = target === undefined ? undefined : exports.get(target)
        if (part !== undefined && part !== owner && part.declarations[0].kindOf(TYPES))
          parts.add(part)
      },
    })
    for (const type of typesOf(reflection)) type.visit(visitor)
  }
  return named
}

/** Of the kinds of reflections some have types, under these names. */
interface Typed {
  readonly type?: SomeType
  readonly default?: SomeType
  readonly extendedTypes?: readonly SomeType[]
  readonly implementedTypes?: readonly SomeType[]
}

function typesOf(reflection: Reflection): readonly SomeType[] {
  const {
    type,
    default: fallback,
    extendedTypes = [],
    implementedTypes = [],
  } = reflection as Reflection & Typed
  return [type, fallback, ...extendedTypes, ...implementedTypes].filter(
    (each) => each !== undefined,
  )
}

/** For messages: its module and its name. */
export function nameOf({ names: [{ module, name }] }: Export): string {
  return `${module} ${name}`
}
