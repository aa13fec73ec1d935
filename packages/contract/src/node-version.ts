/** Both entries load this before anything else: an older Node would end on a fault of its own, that says nothing. */

/** Lines of Node that the program is made for, each from a version on; the last, and every later line. */
const FIRST_VERSIONS: readonly (readonly [number, number, number])[] = [
  [22, 22, 2],
  [24, 14, 1],
]

/** The sentence for a Node that is too old, or of a line that is not supported; undefined: it will do. */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version
    .split('.')
    .map((part) => Number.parseInt(part, 10))
  const line = FIRST_VERSIONS.find(([first]) => first === major) ?? FIRST_VERSIONS.at(-1)
  const [first = 0, second = 0, third = 0] = line ?? []
  const isNew =
    major > first || (major === first && (minor > second || (minor === second && patch >= third)))
  const wanted = FIRST_VERSIONS.map((each) => `>= ${each.join('.')}`).join(' or ')
  return isNew ? undefined : `The contract needs Node ${wanted}; this is ${version}.`
}

const fault = nodeFault(process.versions.node)
if (fault !== undefined) throw new Error(fault)
