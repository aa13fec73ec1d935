import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { installScriptFaults, measureSizes, sizeFaults } from '../../../../.ci/pack/sizes.ts'
import { testFolder } from '../support/folders.ts'

describe('sizes of packages', () => {
  const KNOWN = { packages: 10, bytes: 1000, tarball: 1000 }
  const grown = (name: string, now: Partial<typeof KNOWN>): string[] =>
    sizeFaults({ [name]: { ...KNOWN, ...now } }, { [name]: KNOWN })

  it('may grow by 2 %, and not by more', () => {
    expect(grown('@svc/notify', { bytes: 1020, tarball: 1020 })).to.deep.equal([])
    const faults = grown('@svc/notify', { packages: 11, bytes: 1021, tarball: 1021 })
    expect(faults.map((fault) => fault.split(',')[0])).to.deep.equal([
      'packages of @svc/notify: 11',
      'bytes of @svc/notify with all that it needs: 1021',
      'bytes of the tarball of @svc/notify: 1021',
    ])
    expect(faults[0]).to.contain('run `pnpm run pack --write-figures`')
  })

  it('have to be known', () => {
    expect(sizeFaults({ '@svc/new': KNOWN }, {})).to.have.length(3)
  })

  describe('of an installation', () => {
    let root: string
    beforeEach(() => {
      root = testFolder()
      const store = 'node_modules/.pnpm'
      put('packages/one', { dependencies: { '@svc/two': '1', a: '1' }, files: ['dist'] })
      put('packages/two', { dependencies: { a: '1' }, files: ['dist'] })
      put(`${store}/a@1/node_modules/a`, {
        dependencies: { b: '1' },
        optionalDependencies: { native: '1' },
      })
      put(`${store}/b@1/node_modules/b`, { scripts: { test: 'mocha', postinstall: 'curl x' } })
      put(`${store}/native@1/node_modules/native`, { scripts: { install: 'node-gyp' } })
      link('packages/one/node_modules/@svc/two', 'packages/two')
      link('packages/one/node_modules/a', `${store}/a@1/node_modules/a`)
      link('packages/two/node_modules/a', `${store}/a@1/node_modules/a`)
      link(`${store}/a@1/node_modules/b`, `${store}/b@1/node_modules/b`)
      link(`${store}/a@1/node_modules/native`, `${store}/native@1/node_modules/native`)
    })

    /** A package with 10 bytes in `dist` and 100 in `src`. */
    function put(folder: string, manifest: object): void {
      const target = path.join(root, folder)
      for (const [below, bytes] of [
        ['dist', 10],
        ['src', 100],
      ] as const) {
        mkdirSync(path.join(target, below), { recursive: true })
        writeFileSync(path.join(target, below, 'index.js'), 'x'.repeat(bytes))
      }
      const name = folder.startsWith('packages')
        ? `@svc/${path.basename(folder)}`
        : path.basename(folder)
      const text = JSON.stringify({ name, version: '1.0.0', ...manifest }).padEnd(500)
      writeFileSync(path.join(target, 'package.json'), text)
    }

    function link(from: string, to: string): void {
      mkdirSync(path.dirname(path.join(root, from)), { recursive: true })
      symlinkSync(path.join(root, to), path.join(root, from))
    }

    it('count each package once, ours as their tarballs have them, and optional ones not', () => {
      const file = path.join(root, 'one.tgz')
      writeFileSync(file, 'x'.repeat(7))
      expect(measureSizes(root, [{ name: '@svc/one', file }])).to.deep.equal({
        '@svc/one': { packages: 4, bytes: 4 * 500 + 2 * 10 + 2 * 110, tarball: 7 },
      })
    })

    it('name what would run at the installation, once', () => {
      expect(installScriptFaults(root, ['@svc/one', '@svc/two'])).to.deep.equal([
        'b@1.0.0 has an install script: postinstall.',
      ])
    })
  })
})
