import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const ROOT = path.resolve(import.meta.dirname, '../../../..')
export const EXAMPLES = path.join(ROOT, 'examples/mounts')
/** Each example with its ways to mount. */
export const ALL_MOUNTS = [
  ['node', 'server.ts'],
  ['express', 'server.ts'],
  ['express', 'inside.ts'],
  ['fastify', 'server.ts'],
  ['hono', 'server.ts'],
  ['next', 'server.ts'],
  ['next', 'inside.ts'],
  ['nest', 'server.ts'],
  ['nest', 'fastify.ts'],
] as const

/** What one of an example's programs, the example, or else every example leaves open of the contract, with reasons. */
export function expectedFailures(name: string, file: string): string {
  const own = [`contract-expected-${file.replace('.ts', '')}.json`, 'contract-expected.json']
  const files = own.map((each) => path.join(EXAMPLES, name, each))
  return files.find((each) => existsSync(each)) ?? path.join(EXAMPLES, 'contract-expected.json')
}

/** As its manifest says, where it has to be built before it starts. */
export function build(folder: string): void {
  const manifest = readFileSync(path.join(folder, 'package.json'), 'utf8')
  // A manifest of this repository.
  const { scripts } = JSON.parse(manifest) as { readonly scripts: { readonly build?: string } }
  if (scripts.build === undefined) return
  const PATH = `${path.join(folder, '../node_modules/.bin')}:${process.env['PATH'] ?? ''}`
  execFileSync('sh', ['-c', scripts.build], { cwd: folder, env: { PATH }, stdio: 'pipe' })
}

/** What the examples say that they need, beside the packages. */
export function dependenciesOf(names: readonly string[]): Record<string, string> {
  const manifests = names.map((name) => {
    const text = readFileSync(path.join(EXAMPLES, name, 'package.json'), 'utf8')
    // Manifests of this repository.
    return JSON.parse(text) as Record<'dependencies' | 'devDependencies', Record<string, string>>
  })
  return Object.assign(
    {},
    ...manifests.flatMap(({ dependencies, devDependencies }) => [dependencies, devDependencies]),
  )
}
