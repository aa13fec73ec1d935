/**
 * Every entry of every package loads this before anything else: an older Node would end on a fault of its own, that says
 * nothing. Loading it throws there.
 */

/** Lines of Node that the packages are made for, each from a version on; the last, and every later line. */
const FIRST_VERSIONS: readonly string[] = ['22.22.2', '24.14.1']

/**
 * The sentence for a Node that is too old, or of a line that is not supported; undefined: it will do.
 * @example
 * const fault = nodeFault(process.versions.node) // undefined: it will do
 */
export function nodeFault(version: string): string | undefined {
  const last = FIRST_VERSIONS.at(-1) ?? ''
  const first = FIRST_VERSIONS.find((each) => lineOf(each) === lineOf(version)) ?? last
  if (isFrom(first, version)) return undefined
  const wanted = FIRST_VERSIONS.map((each) => `>= ${each}`).join(' or ')
  return `Svc needs Node ${wanted}; this is ${version}.`
}

function lineOf(version: string): string | undefined {
  return version.split('.')[0]
}

function isFrom(first: string, version: string): boolean {
  const wanted = first.split('.').map(Number)
  const present = version.split('.').map((part) => Number.parseInt(part, 10))
  const at = wanted.findIndex((part, index) => part !== present[index])
  return at < 0 || (present[at] ?? 0) > (wanted[at] ?? 0)
}

const fault = nodeFault(process.versions.node)
if (fault !== undefined) throw new Error(fault)
