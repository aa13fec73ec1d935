import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { nodeFault } from '../../src/entry/node-version.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')

interface Manifest {
  readonly private?: boolean
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, { readonly source: string }>>
}

function read(file: string): Manifest {
  // A manifest of this repository.
  return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8')) as Manifest
}

describe('the Node that the packages are made for', () => {
  for (const version of ['22.22.2', '22.23.0', '24.14.1', '24.15.0', '25.0.0', '26.1.0-nightly']) {
    it(`is ${version}`, () => {
      expect(nodeFault(version)).to.equal(undefined)
    })
  }

  for (const version of [
    '18.20.8',
    '20.20.2',
    '22.22.1',
    '22.9.3',
    '23.11.1',
    '24.0.0',
    '24.14.0',
  ]) {
    it(`is not ${version}`, () => {
      expect(nodeFault(version)).to.equal(
        `Svc needs Node >= 22.22.2 or >= 24.14.1; this is ${version}.`,
      )
    })
  }

  it('is the one of every manifest', () => {
    const engines = globSync(['package.json', 'packages/*/package.json'], { cwd: ROOT }).map(
      (file) => read(file).engines.node,
    )
    expect(new Set(engines)).to.deep.equal(new Set(['>=22.22.2 <23 || >=24.14.1']))
  })

  it('is asked for by every entry of every package that stands on the store, before anything else', () => {
    const late = globSync('packages/*/package.json', { cwd: ROOT }).flatMap((file) => {
      const manifest = read(file)
      const stands = manifest.name === '@svc/store' || '@svc/store' in (manifest.dependencies ?? {})
      if (manifest.private === true || !stands) return []
      const entries = Object.values(manifest.exports ?? {}).map(({ source }) => source)
      const commands = Object.values(manifest.bin ?? {}).map((built) =>
        built.replace('/dist/', '/src/').replace(/\.js$/, '.ts'),
      )
      return [...entries, ...commands]
        .map((entry) => path.join(path.dirname(file), entry))
        .filter((entry) => {
          const [first] =
            /^(?:import|export)\b.*$/m.exec(readFileSync(path.join(ROOT, entry), 'utf8')) ?? []
          const isItself = entry.endsWith('/node-version.ts')
          return !isItself && !/^import '.*\/node-version(?:\.ts)?'$/.test(first ?? '')
        })
    })
    expect(late).to.deep.equal([])
  })
})
