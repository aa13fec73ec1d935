import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { packPackages, runPnpm } from '../../src/packed-packages.ts'
import { skipUnless } from '../../src/skip-unless.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}

function output(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 100_000_000 })
}

/** What the exports of a package lead to, as paths in its tarball. */
function entriesOf({ exports }: Manifest): string[] {
  return Object.values(exports).map((entry) => {
    const file = typeof entry === 'string' ? entry : entry.default
    return path.posix.join('package', file)
  })
}

describe('a clone in which nothing was built', function () {
  this.timeout(240_000)
  let folder: string
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-clone-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('packs every public package with what its exports lead to', function () {
    skipUnless(this, existsSync(path.join(ROOT, '.git')), 'this is no clone')
    const clone = path.join(folder, 'clone')
    const files = output('git', ['ls-files', '-z', '-co', '--exclude-standard'], ROOT)
    for (const file of files
      .split('\0')
      .filter((each) => existsSync(path.join(ROOT, each)) && each !== '')) {
      cpSync(path.join(ROOT, file), path.join(clone, file))
    }
    runPnpm(['install', '--prefer-offline', '--frozen-lockfile', '--ignore-scripts'], clone)

    const packed = packPackages(clone, path.join(folder, 'tarballs'))
    expect(packed.length).to.be.above(5)
    for (const { name, file } of packed) {
      const inside = output('tar', ['-tzf', file], folder).split('\n')
      const manifest = JSON.parse(
        output('tar', ['-xOzf', file, 'package/package.json'], folder),
      ) as Manifest // packed from ours
      expect(manifest.name).to.equal(name)
      // A name with a star stands for every file that it fits.
      const missing = entriesOf(manifest).filter(
        (entry) => !inside.some((packedFile) => path.posix.matchesGlob(packedFile, entry)),
      )
      expect(missing, name).to.deep.equal([])
    }

    // As somebody forgets a folder: the pack says which one.
    rmSync(path.join(clone, 'packages/notify/locales'), { recursive: true })
    const pack = (): void => runPnpm(['pack', '--dry-run'], path.join(clone, 'packages/notify'))
    expect(pack).to.throw('@svc/notify: files names locales, and nothing of that name exists')
  })
})
