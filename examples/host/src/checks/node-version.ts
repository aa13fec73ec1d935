import { readFileSync } from 'node:fs'
import { fault, type Finding, ok } from './check.ts'

/** Whether this Node is one that the host was made for. */
export function checkNodeVersion(
  version: string = process.versions.node,
  engines: string = enginesOfHost(),
): Finding {
  if (isWithin(version, engines)) return ok(`Node ${version} is one of ${engines}.`)
  return fault(
    `This is Node ${version}, and the server needs ${engines}.`,
    'Install a Node of that range.',
  )
}

function enginesOfHost(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly engines: { readonly node: string } }).engines.node // The host's own manifest.
}

/** Whether a version is in a range such as `>=22.22.2 <23 || >=24.14.1`. */
function isWithin(version: string, range: string): boolean {
  return range.split('||').some((part) =>
    part
      .trim()
      .split(/\s+/)
      .every((bound) => isBound(version, bound)),
  )
}

function isBound(version: string, bound: string): boolean {
  const isUpper = bound.startsWith('<')
  const order = compare(version, bound.replace(/^[<>=]+/, ''))
  return isUpper ? order < 0 : order >= 0
}

function compare(one: string, other: string): number {
  const ours = one.split('.').map(Number)
  const theirs = other.split('.').map(Number)
  for (const at of [0, 1, 2]) {
    const difference = (ours[at] ?? 0) - (theirs[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
