import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { installPackages, sharedPackages } from '../../src/index.ts'
import { suiteFolder } from '../support/folders.ts'
import { dependenciesOf, ROOT } from './mounts.ts'

const EXAMPLES = path.join(ROOT, 'examples')
/** What stands alone, for embedders to copy. */
const COPIED = [
  'embedded',
  'own',
  'mounts/node',
  'mounts/express',
  'mounts/fastify',
  'mounts/hono',
] as const
/** These take long to install: they are looked at by command, `SVC_MOUNTS=next,nest`, with settings of their own beside. */
const BY_COMMAND = {
  next: { jsx: 'react-jsx', esModuleInterop: true },
  nest: { experimentalDecorators: true },
} as const
/**
 * What is wrong in the declarations of Next itself, which nobody but Next can mend (0736): they are for bundlers, and for
 * the types of browsers since TypeScript 6.
 */
const OF_NEXT = /^\S+\/node_modules\/next\/\S+: error .*\n(?: +.*\n)*/gm
const NEXT_IS_CALLED =
  /^\S+\/mounts\/next\/\w+\.ts\(\d+,\d+\): error TS2349: .*\n {2}Type 'typeof import\("\S+\/next\/index"\)' has no call signatures\.\n/gm
const ASKED = (Object.keys(BY_COMMAND) as (keyof typeof BY_COMMAND)[]).filter((name) =>
  (process.env['SVC_MOUNTS'] ?? '').split(',').includes(name),
)
const NAMES = [...COPIED, ...ASKED.map((mount) => `mounts/${mount}`)]
/** Tests of types import entry points of packages; inside of the repository one does by the source's path. */
const OPTIONS_SOURCE = "'../../src/options/index.ts'"
/** Versions of TypeScript that embedders have. */
const COMPILERS = ['5.8.3', '5.9.3', '6.0.3', '7.0.2']
const RESOLUTIONS = [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
] as const

describe('the types of the packages, in every example and recipe, and in the tests of types', function () {
  this.timeout(300_000)

  const folder = suiteFolder()
  let projects = 0

  before(() => {
    for (const name of NAMES) {
      cpSync(path.join(EXAMPLES, name), path.join(folder, 'examples', name), {
        recursive: true,
        filter: (from) => !from.includes('node_modules'),
      })
    }
    copyTypeTests(folder)
    const compilers = COMPILERS.map((version) => [`tsc-${version}`, `npm:typescript@${version}`])
    installPackages(sharedPackages(ROOT), folder, {
      // The recipes have no manifest of their own.
      ...dependenciesOf(NAMES.filter((name) => name !== 'own').map((name) => `../${name}`)),
      ...Object.fromEntries(compilers),
    })
  })

  it('are looked at in every example that embedders copy', () => {
    const folders = globSync(['embedded', 'own', 'mounts/*/package.json'], { cwd: EXAMPLES })
    const names = folders.map((file) => file.replace('/package.json', ''))
    const others = Object.keys(BY_COMMAND).map((name) => `mounts/${name}`)
    expect(names).to.have.members([...COPIED, ...others])
    expect(globSync('packages/*/test/types/*.ts', { cwd: folder })).to.have.length.above(6)
  })

  for (const version of COMPILERS) {
    it(`are right for TypeScript ${version}, under nodenext and under bundler`, async () => {
      const looked = [...COPIED.map((name) => `examples/${name}`), 'packages']
      expect(await faultsOf(version, looked, { lib: ['es2024', 'dom'] })).to.deep.equal(['', ''])
    })

    for (const name of ASKED) {
      it(`are right for TypeScript ${version} in mounts/${name}`, async () => {
        const more = { lib: ['es2024', 'dom', 'dom.iterable'], ...BY_COMMAND[name] }
        const faults = await faultsOf(version, [`examples/mounts/${name}`], more)
        const [nodenext = '', bundler = ''] =
          name === 'next' ? faults.map((text) => text.replaceAll(OF_NEXT, '')) : faults
        expect([nodenext.replaceAll(NEXT_IS_CALLED, ''), bundler]).to.deep.equal(['', ''])
      })
    }
  }

  // Frameworks that run in browsers, too, take the types of browsers for granted.
  it('are right where nothing is known of browsers, but for Hono', async () => {
    const looked = COPIED.filter((name) => name !== 'mounts/hono').map((name) => `examples/${name}`)
    expect(await faultsOf('7.0.2', looked, { lib: ['es2024'] })).to.deep.equal(['', ''])
  })

  /** What the compiler says of folders under each resolution, with the options of `examples/embedded` and these. */
  function faultsOf(
    version: string,
    folders: readonly string[],
    more: Readonly<Record<string, unknown>>,
  ): Promise<string[]> {
    projects += 1
    const name = `tsconfig-${projects}`
    return Promise.all(
      RESOLUTIONS.map(async ([module, moduleResolution]) => {
        const project = path.join(folder, `${name}-${moduleResolution}.json`)
        const settings = { module, moduleResolution, allowImportingTsExtensions: true, ...more }
        writeFileSync(
          project,
          JSON.stringify({
            compilerOptions: { ...options(), ...settings },
            include: folders.flatMap((each) => [
              `${each}/**/*.ts`,
              `${each}/**/*.mts`,
              `${each}/**/*.mjs`,
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

/** The tests of types of every package, which hold on the packed declarations as on the sources. */
function copyTypeTests(folder: string): void {
  for (const file of globSync('packages/*/test/types/*.ts', { cwd: ROOT })) {
    const code = readFileSync(path.join(ROOT, file), 'utf8').replace(
      OPTIONS_SOURCE,
      "'@svc/store/options'",
    )
    // What is about parts that no package exports holds on the sources alone.
    if (code.includes("'../../src/")) continue
    const copy = path.join(folder, file)
    mkdirSync(path.dirname(copy), { recursive: true })
    writeFileSync(copy, code)
  }
}
