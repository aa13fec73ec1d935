import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { installPackages, sharedPackages } from '../../src/index.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const EXAMPLES = path.join(ROOT, 'examples')
/** What stands alone, for embedders to copy. Next and NestJS bring their own settings of the compiler. */
const COPIED = [
  'embedded',
  'own',
  'mounts/node',
  'mounts/express',
  'mounts/fastify',
  'mounts/hono',
] as const
/** Versions of TypeScript that embedders have. */
const COMPILERS = ['5.8.3', '5.9.3', '6.0.3', '7.0.2']
const RESOLUTIONS = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const

describe('the types of the packages, in every example and recipe', function () {
  this.timeout(300_000)

  let folder: string

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-types-'))
    for (const name of COPIED) {
      cpSync(path.join(EXAMPLES, name), path.join(folder, 'examples', name), {
        recursive: true,
        filter: (from) => !from.includes('node_modules'),
      })
    }
    const compilers = COMPILERS.map((version) => [`tsc-${version}`, `npm:typescript@${version}`])
    installPackages(sharedPackages(ROOT), folder, {
      ...dependencies(),
      ...Object.fromEntries(compilers),
    })
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('are looked at in every example that embedders copy', () => {
    const folders = globSync(['embedded', 'own', 'mounts/*/package.json'], { cwd: EXAMPLES })
    const names = folders
      .map((file) => file.replace('/package.json', ''))
      .filter((name) => !/\/ne(?:x|s)t$/.test(name))
    expect(names).to.have.members([...COPIED])
  })

  for (const version of COMPILERS) {
    it(`are right for TypeScript ${version}, under nodenext and under bundler`, async () => {
      expect(await faultsOf(version, [...COPIED], ['es2024', 'dom'])).to.deep.equal(['', ''])
    })
  }

  // Frameworks that run in browsers, too, take the types of browsers for granted.
  it('are right where nothing is known of browsers, but for Hono', async () => {
    const examples = COPIED.filter((name) => name !== 'mounts/hono')
    expect(await faultsOf('7.0.2', examples, ['es2024'])).to.deep.equal(['', ''])
  })

  /** What the compiler says of examples under each resolution, with the options of `examples/embedded`. */
  function faultsOf(
    version: string,
    examples: readonly string[],
    lib: readonly string[],
  ): Promise<string[]> {
    return Promise.all(
      RESOLUTIONS.map(async ([module, moduleResolution]) => {
        const project = path.join(
          folder,
          `tsconfig-${version}-${moduleResolution}-${lib.length}.json`,
        )
        const settings = { module, moduleResolution, lib, allowImportingTsExtensions: true }
        writeFileSync(
          project,
          JSON.stringify({
            compilerOptions: { ...options(), ...settings },
            include: examples.flatMap((name) => [
              `examples/${name}/**/*.ts`,
              `examples/${name}/**/*.mts`,
            ]),
          }),
        )
        const bin = path.join(folder, 'node_modules', `tsc-${version}`, 'bin/tsc')
        const compiler = spawn(process.execPath, [bin, '-p', project], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const [printed, [code]] = await Promise.all([text(compiler.stdout), once(compiler, 'exit')])
        return code === 0 ? printed : printed || `exit code ${String(code)}`
      }),
    )
  }
})

function options(): object {
  const file = path.join(EXAMPLES, 'embedded/tsconfig.json')
  // Settings of this repository.
  return (JSON.parse(readFileSync(file, 'utf8')) as { compilerOptions: object }).compilerOptions
}

/** What the examples say that they need, and what the recipes do. */
function dependencies(): Record<string, string> {
  const manifests = globSync('{embedded,mounts/*}/package.json', { cwd: EXAMPLES }).map((file) => {
    const manifest = readFileSync(path.join(EXAMPLES, file), 'utf8')
    // Manifests of this repository.
    return JSON.parse(manifest) as Record<
      'dependencies' | 'devDependencies',
      Record<string, string>
    >
  })
  return Object.assign(
    {},
    ...manifests.flatMap(({ dependencies: needed, devDependencies }) => [needed, devDependencies]),
  )
}
