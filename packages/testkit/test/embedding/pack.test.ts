import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { runPnpm } from '../../src/packed-packages.ts'
import { testFolder } from '../support/folders.ts'

const PREPARE = path.resolve(import.meta.dirname, '../../../../.ci/pack/prepare.ts')

/** A package that may be packed. */
const GOOD = {
  'package.json': JSON.stringify({
    name: '@svc/sample',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
    bin: { sample: './dist/cli.js' },
    files: ['dist', '!dist/.tsbuildinfo', 'README.md', 'views'],
    dependencies: { koa: '3.3.0', '@svc/store': '0.1.0' },
  }),
  'src/index.ts': '',
  'src/cli.ts': '',
  'dist/index.js':
    "/** import('left-pad') */\nimport Koa from 'koa';\nimport { a } from './cli.js';\nimport '@svc/store/sqlite';\nimport { readFileSync } from 'node:fs';\n",
  'dist/index.d.ts': "export { type A } from './cli.ts';\n",
  'dist/cli.js': "const names = ['from', 'passphrase'];\n",
  'dist/cli.d.ts': '',
  'dist/.tsbuildinfo': '',
  'views/login.njk': '',
  'README.md':
    'See `views/login.njk`, [the view](views/login.njk), [a site](https://example.com/) and `docs/x.md` of the\nrepository.\n',
}

describe('the check before a package is packed', () => {
  let folder: string
  beforeEach(() => {
    folder = testFolder()
    for (const [file, content] of Object.entries(GOOD)) put(file, content)
  })

  function put(file: string, content: string): void {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), content)
  }

  /** What it says on a package; empty when it is content. */
  function faults(): string {
    const { status, stderr } = spawnSync(process.execPath, [PREPARE], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(status).to.equal(stderr === '' ? 0 : 1)
    return stderr
  }

  it('is content with a whole one, and leaves out what earlier builds left behind', () => {
    put('dist/gone.d.ts', "import type { Pad } from 'left-pad';\n")
    put('dist/index.js.map', '{"sources":["../src/index.ts"]}')
    expect(faults()).to.equal('')
  })

  it('fails the pack itself, whoever packs', () => {
    const manifest = JSON.parse(GOOD['package.json']) as object // written above
    const scripts = { prepack: `node ${PREPARE}` }
    put('package.json', JSON.stringify({ ...manifest, version: '0.1.0', scripts }))
    const pack = (): void => runPnpm(['pack', '--dry-run'], folder)
    expect(pack).not.to.throw()
    rmSync(path.join(folder, 'views'), { recursive: true })
    expect(pack).to.throw('@svc/sample: files names views, and nothing of that name exists')
  }).timeout(60_000)

  const WRONG: readonly (readonly [
    what: string,
    change: Readonly<Record<string, string | undefined>>,
    faults: readonly string[],
  ])[] = [
    [
      'a file that exports lead to and that is not there',
      { 'dist/index.d.ts': undefined },
      ['exports "." "types" names ./dist/index.d.ts, which is not in the tarball'],
    ],
    [
      'a command and a folder that are not there',
      { 'dist/cli.js': undefined, views: undefined, 'README.md': '' },
      [
        'bin "sample" names ./dist/cli.js, which is not in the tarball',
        'files names views, and nothing of that name exists',
        'dist/index.js imports ./cli.js, which is not in the tarball',
      ],
    ],
    [
      'sources and tests',
      { 'views/test/view.ts': '' },
      ['views/test/view.ts is a source or a test, and in the tarball'],
    ],
    ...[
      ['statically', "import pad from 'left-pad';"],
      ['over several lines', "export {\n  pad,\n} from 'left-pad/esm';"],
      ['at run time', "const pad = await import('left-pad');"],
      ['by its place', "import.meta.resolve('left-pad');"],
      ['when it is first asked', "const pad = load2('left-pad');"],
    ].map(
      ([how, code = '']) =>
        [
          `an undeclared package that is loaded ${how}`,
          { 'dist/index.js': code },
          ['dist/index.js imports left-pad, which the manifest does not declare'],
        ] as const,
    ),
    [
      'undeclared packages of types',
      { 'dist/index.d.ts': "import type { Pad } from 'left-pad';\n" },
      ['dist/index.d.ts imports left-pad, which the manifest does not declare'],
    ],
    [
      'texts that name what their reader does not have',
      { 'README.md': 'See `src/options.ts`, [all](../../docs/all.md#top) and [here](#here).\n' },
      [
        'README.md names ../../docs/all.md, which is not in the tarball',
        'README.md names src/options.ts, which is not in the tarball',
      ],
    ],
  ]
  for (const [what, change, expected] of WRONG) {
    it(`finds ${what}`, () => {
      for (const [file, content] of Object.entries(change)) {
        if (content === undefined) rmSync(path.join(folder, file), { recursive: true })
        else put(file, content)
      }
      expect(faults()).to.equal(expected.map((fault) => `@svc/sample: ${fault}\n`).join(''))
    })
  }
})
