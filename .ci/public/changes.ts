import type { Surface } from './surface.ts'

/** A file of `.changeset/`. */
export interface Changeset {
  readonly file: string
  /** The packages that it names. */
  readonly packages: readonly string[]
  readonly text: string
}

/** What others build on, as the last release has it. */
export interface ReleasedSurface {
  /** Version of the packages. */
  readonly version: string
  readonly surface: Surface
}

/** Reads a changeset: packages between the dashes, then what changed. */
export function readChangeset(file: string, content: string): Changeset {
  const [, head = '', text = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(content) ?? []
  const packages = [...head.matchAll(/^['"]?([^'":]+)['"]?:/gm)].map(([, name = '']) => name)
  return { file, packages, text }
}

/**
 * A sentence for each thing that is not as the last release has it, and that no changeset of its package names.
 * @see docs/decisions/0569
 */
export function unnamedChanges(
  released: Surface,
  now: Surface,
  changesets: readonly Changeset[],
): string[] {
  return keysOf(released, now).flatMap((name) => {
    const own = changesets.filter(({ packages }) => packages.includes(name))
    const [before = {}, after = {}] = [released[name], now[name]]
    return keysOf(before, after).flatMap((area) =>
      keysOf(before[area] ?? {}, after[area] ?? {}).flatMap((item) => {
        const [was, is] = [before[area]?.[item], after[area]?.[item]]
        if (was === is || own.some(({ text }) => isNamed(text, item))) return []
        const what = `${area} \`${item}\` of ${name}`
        const how =
          was === undefined
            ? 'is new'
            : is === undefined
              ? 'is gone'
              : `was "${was}" and is "${is}"`
        return [`${what} ${how}; no changeset of ${name} has \`${nameOf(item)}\` in its text`]
      }),
    )
  })
}

/** The name is between back quotes, or begins with what stands before a `*` there. */
function isNamed(text: string, item: string): boolean {
  const names = [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  const wanted = [item, nameOf(item)]
  return names.some((name) =>
    name.endsWith('*')
      ? name.length > 3 && wanted.some((one) => one.startsWith(name.slice(0, -1)))
      : wanted.includes(name.replace(/\(.*\)$/, '')),
  )
}

/** As one writes it: without the entry point, function or app that it belongs to. */
function nameOf(item: string): string {
  return /^(?:GET|POST|PUT|PATCH|DELETE|svc|npx) /.test(item)
    ? item
    : (item.split(' ').at(-1) ?? item)
}

function keysOf(one: object, other: object): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted()
}
