import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { testFolder } from '../support/folders.ts'

const RELEASE = path.resolve(import.meta.dirname, '../../../../.ci/release')
const ORDER = '@svc/store 1.0.0 svc-store.tgz\n@svc/platform 1.1.0-rc.1 svc-platform.tgz\n'

describe('the program of a release', () => {
  let root: string
  beforeEach(() => {
    root = testFolder()
    mkdirSync(path.join(root, '.ci/publish'), { recursive: true })
    mkdirSync(path.join(root, 'node_modules/.bin'), { recursive: true })
    cpSync(RELEASE, path.join(root, '.ci/release'))
    symlinkSync(process.execPath, path.join(root, 'node_modules/.bin/node'))
    put('.ci/run', note('ci'))
    put('.ci/publish/check.ts', step('check'))
    put(
      '.ci/publish/main.ts',
      `${step('make')}
      const out = process.argv[3] ?? ''
      fs.mkdirSync(out, { recursive: true })
      fs.writeFileSync(out + '/ORDER', ${JSON.stringify(ORDER)})`,
    )
    // The registry has nothing.
    put('node_modules/.bin/npm', `${note('npm')}[ "$1" != view ]`)
  })

  function put(file: string, text: string): void {
    writeFileSync(path.join(root, file), text)
    chmodSync(path.join(root, file), 0o755)
  }

  /** A program that notes how it was called. */
  function note(name: string): string {
    return `#!/bin/sh\necho ${name} "$@" >>'${root}/called'\n`
  }

  function step(name: string): string {
    return `import fs from 'node:fs'
      const text = [${JSON.stringify(name)}, ...process.argv.slice(2)].join(' ')
      fs.appendFileSync(${JSON.stringify(root)} + '/called', text + '\\n')`
  }

  /** Runs it from another folder. @returns its exit code, and what it called */
  function release(...args: string[]): {
    readonly status: number | null
    readonly called: string[]
  } {
    const { status } = spawnSync(path.join(root, '.ci/release'), args, { cwd: tmpdir() })
    const file = path.join(root, 'called')
    const text = existsSync(file) ? readFileSync(file, 'utf8').replaceAll(root, '') : ''
    return { status, called: text.split('\n').slice(0, -1) }
  }

  it('looks at the place, runs CI, makes everything, and publishes in order', () => {
    expect(release()).to.deep.equal({
      status: 0,
      called: [
        'check',
        'ci',
        'make --out /release',
        'npm view @svc/store@1.0.0 version',
        'npm publish /release/svc-store.tgz --access public --provenance --tag latest',
        'npm view @svc/platform@1.1.0-rc.1 version',
        'npm publish /release/svc-platform.tgz --access public --provenance --tag next',
      ],
    })
  })

  it('passes over what is published already', () => {
    put('node_modules/.bin/npm', `${note('npm')}[ "$2" != @svc/store@1.0.0 ] || echo 1.0.0`)
    const { called, status } = release()
    expect(status).to.equal(0)
    expect(called.filter((line) => line.includes('publish'))).to.have.length(1)
    expect(called.at(-1)).to.contain('svc-platform.tgz')
  })

  it('stops at the first package that is not taken', () => {
    put('node_modules/.bin/npm', `${note('npm')}exit 1`)
    const { called, status } = release()
    expect(status).to.equal(1)
    expect(called.filter((line) => line.includes('publish'))).to.have.length(1)
  })

  for (const [file, called] of [
    ['.ci/publish/check.ts', ['check']],
    ['.ci/run', ['check', 'ci']],
    ['.ci/publish/main.ts', ['check', 'ci', 'make --out /release']],
  ] as const) {
    it(`publishes nothing when ${file} refuses`, () => {
      const text = readFileSync(path.join(root, file), 'utf8')
      put(file, `${text}\n${file.endsWith('.ts') ? 'process.exit(1)' : 'exit 1'}\n`)
      expect(release()).to.deep.equal({ status: 1, called })
    })
  }

  it('publishes nothing in a dry run, with CI or without, wherever the folder is', () => {
    expect(release('--dry-run').called).to.deep.equal([
      'check --dry-run',
      'ci',
      'make --out /release',
    ])
    rmSync(path.join(root, 'called'))
    const out = path.join(root, 'elsewhere')
    expect(release('--dry-run', '--skip-ci', '--out', out)).to.deep.equal({
      status: 0,
      called: ['check --dry-run', 'make --out /elsewhere'],
    })
  })

  it('takes no option that it does not know, and leaves CI out in a dry run only', () => {
    expect(release('--force')).to.deep.equal({ status: 2, called: [] })
    expect(release('--skip-ci')).to.deep.equal({ status: 2, called: [] })
    expect(release('--dry-run', '--out').status).to.equal(1)
  })
})
