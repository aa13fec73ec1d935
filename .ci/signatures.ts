/**
 * Holds what a stranger installs against the signatures of the registry.
 *
 *   node .ci/signatures.ts <folder with an installation by pnpm>
 *
 * A registry that serves no keys, such as a mirror, cannot be held to them: that is said, and is no fault.
 * @see operation.md 7.8
 */
import { execFileSync } from 'node:child_process'
import { runPnpm } from '../packages/testkit/src/packed-packages.ts'

const [folder = '.'] = process.argv.slice(2)

if (await servesKeys()) {
  runPnpm(['audit', 'signatures'], folder)
  process.stdout.write('every package is signed by the registry\n')
} else {
  process.stdout.write('not looked at: the registry of this machine serves no signing keys\n')
}

async function servesKeys(): Promise<boolean> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const keys = new URL('-/npm/v1/keys', registry.trim())
    return (await fetch(keys, { signal: AbortSignal.timeout(10_000) })).ok
  } catch {
    return false
  }
}
