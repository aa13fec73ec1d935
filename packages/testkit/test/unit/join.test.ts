import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { joinPackage, neededFolders } from '../../../../.ci/join/package.ts'
import { testFolder } from '../support/folders.ts'

const MANIFEST = {
  name: '@svc/sample',
  type: 'module',
  exports: {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './below': { default: './dist/below/index.js' },
    './plain.json': './plain.json',
  },
  bin: { sample: './dist/below/cli.js' },
  sideEffects: ['./dist/check.js'],
}

describe('joining what the compiler made of a package', () => {
  let folder: string

  beforeEach(() => {
    folder = testFolder()
    put('package.json', JSON.stringify(MANIFEST))
    put('dist/.modules/check.js', 'globalThis.joinChecked = (globalThis.joinChecked ?? 0) + 1;\n')
    put(
      'dist/.modules/index.js',
      `import './check.js';
export { Mark, loadLater } from './mark.js';
export { text } from './below/place.js';
`,
    )
    put(
      'dist/.modules/mark.js',
      `export class Mark {}
export const loadLater = () => import('./later.js');
`,
    )
    put(
      'dist/.modules/later.js',
      "import { Mark } from './mark.js';\nexport const mark = new Mark();\n",
    )
    put(
      'dist/.modules/below/place.js',
      `import { readFileSync } from 'node:fs';
export const text = readFileSync(new URL('../../words.txt', import.meta.url), 'utf8');
`,
    )
    put(
      'dist/.modules/below/index.js',
      "import '../check.js';\nexport { Mark } from '../mark.js';\n",
    )
    put('dist/.modules/below/cli.js', "#!/usr/bin/env node\nimport '../check.js';\nexport {};\n")
    put('words.txt', 'found')
  })

  function put(file: string, content: string): void {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), content)
  }

  function load(file: string): Promise<Record<string, unknown>> {
    // A namespace.
    return import(pathToFileURL(path.join(folder, file)).href) as Promise<Record<string, unknown>>
  }

  it('leaves each entry where it was, with one copy of what they share', async () => {
    await joinPackage(folder)
    const [main, below] = [await load('dist/index.js'), await load('dist/below/index.js')]
    expect(below['Mark']).to.equal(main['Mark'])
    const { mark } = await (main['loadLater'] as () => Promise<{ mark: object }>)() // as above
    expect(mark).to.be.instanceOf(main['Mark'])
  })

  it('starts threads from where they were, and forgets those whose source is gone', async () => {
    put('src/below/text-thread.ts', '')
    put('dist/.modules/below/text-thread.js', "export { text } from './place.js';\n")
    put('dist/.modules/below/gone-thread.js', "export { gone } from './place.js';\n")
    await joinPackage(folder)
    expect((await load('dist/below/text-thread.js'))['text']).to.equal('found')
    expect(existsSync(path.join(folder, 'dist/below/gone-thread.js'))).to.equal(false)
  })

  it('leaves a script untouched that is the same', async () => {
    await joinPackage(folder)
    utimesSync(path.join(folder, 'dist/index.js'), 1, 1)
    await joinPackage(folder)
    expect(statSync(path.join(folder, 'dist/index.js')).mtimeMs).to.equal(1000)
  })

  it('is done for what a package stands on, too', () => {
    const folders = new Map(
      ['ground', 'sample'].map((name) => [`@svc/${name}`, path.join(folder, name)]),
    )
    const ground = { name: '@svc/ground', dependencies: { koa: '3' } }
    put('ground/package.json', JSON.stringify(ground))
    const sample = { name: '@svc/sample', dependencies: { '@svc/ground': '1' } }
    put('sample/package.json', JSON.stringify(sample))
    const host = { name: 'host', dependencies: { '@svc/sample': '1' } }
    put('host/package.json', JSON.stringify(host))
    const needed = (name: string): string[] =>
      neededFolders(path.join(folder, name), folders).map((each) => path.basename(each))
    expect(needed('ground')).to.deep.equal(['ground'])
    expect(needed('sample')).to.deep.equal(['sample', 'ground'])
    expect(needed('host')).to.deep.equal(['sample', 'ground'])
  })

  it('refuses a module that asks for more of its place than its address', async () => {
    put(
      'dist/.modules/mark.js',
      'export const Mark = import.meta.dirname;\nexport const loadLater = 1;\n',
    )
    const refused = await joinPackage(folder).then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(refused).to.contain('mark.js: what it asks of import.meta depends on where it lies')
  })
})
