import { boundsOf, knownSizes } from '../../.ci/pack/sizes.ts'
import { type Document, GENERATED, table } from './document.ts'

/** `docs/reference/sizes.md` from the figures that every pack is held against. */
export function sizesPage(): Document {
  const rows = Object.entries(knownSizes()).map(([name, { bytes, packages, tarball }]) => {
    const most = boundsOf(name)
    return [
      `\`${name}\``,
      `${packages}${most.packages === undefined ? '' : ` of at most ${most.packages}`}`,
      `${(bytes / 1e6).toFixed(1)} MB`,
      `${kilobytes(tarball)} of at most ${kilobytes(most.tarball)} kB`,
    ]
  })
  const parts = [
    '# Sizes of the packages',
    GENERATED,
    INTRODUCTION,
    table(['Package', 'Packages installed', 'Bytes of all of them', 'Its tarball'], rows),
  ]
  return { file: 'docs/reference/sizes.md', content: parts.join('\n\n') }
}

/** Thousands of bytes, rounded up. */
function kilobytes(bytes: number): number {
  return Math.ceil(bytes / 1000)
}

const INTRODUCTION = `What it costs to install one of the packages alone, itself included. Optional packages are left out: they are native, make
a few things quicker, and nothing needs them. No package that is counted here runs a script when it is installed.

\`pnpm run pack\` fails when a figure grew by more than 2 % since somebody looked at it, or is above its bound;
\`pnpm run pack --write-figures\` notes what somebody looked at. How long the main entries take to load is measured by
\`pnpm bench imports\` ([benchmarks.md](../benchmarks.md)).`
