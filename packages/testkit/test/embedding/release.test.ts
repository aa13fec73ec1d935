import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { commitTime } from '../../../../.ci/commit-time.ts'
import { sumLines, sumOf } from '../../../../.ci/pack/sums.ts'
import { writeSboms } from '../../../../.ci/publish/sboms.ts'
import { publicPackages, sharedPackages, skipUnless } from '../../src/index.ts'
import { suiteFolder } from '../support/folders.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')

describe('a release that is tried', function () {
  this.timeout(240_000)
  const folder = suiteFolder()
  before(function () {
    skipUnless(this, existsSync(path.join(ROOT, '.git')), 'this is no clone')
  })

  it('has the tarballs of this run, built once more from nothing, with SBOMs, sums and the verdict of the contract', () => {
    const packed = sharedPackages(ROOT)
    const out = path.join(folder, 'release')
    const { status, stdout, stderr } = spawnSync(
      path.join(ROOT, '.ci/release'),
      ['--dry-run', '--skip-ci', '--out', out],
      {
        cwd: folder,
        encoding: 'utf8',
        env: {
          ...process.env,
          SVC_TARBALLS: path.dirname(packed[0]?.file ?? ''),
          // Also where a release is made at this moment, the one that is tried would be refused.
          ACTIONS_ID_TOKEN_REQUEST_URL: '',
          NPM_ID_TOKEN: '',
        },
      },
    )
    expect(status, stdout + stderr).to.equal(0)
    expect(stdout).to.contain('packed again where nothing was built: the same bytes')
    expect(stdout).to.contain('nothing was published')
    expect(stderr).to.contain('A release would be refused here. ')

    const names = publicPackages(ROOT).map(({ name }) => name)
    expect(names.length).to.be.above(5)
    const read = (file: string): string => readFileSync(path.join(out, file), 'utf8')
    const tarballs = packed.map(({ file }) => path.basename(file))
    const sboms = names.map((name) => `sbom/${name.slice(1).replace('/', '-')}.cdx.json`)
    expect(readdirSync(path.join(out, 'sbom')).map((file) => `sbom/${file}`)).to.have.members(sboms)
    for (const { file } of packed)
      expect(sumOf(path.join(out, path.basename(file)))).to.equal(sumOf(file))
    expect(read('SHA256SUMS')).to.equal(
      sumLines(out, [...tarballs, 'LICENCES', ...sboms.toSorted()]),
    )
    expect(read('LICENCES')).to.match(/^koa@\S+ MIT$/m)
    const order = read('ORDER').trim().split('\n')
    expect(order.map((line) => line.split(' ')[0])).to.have.members(names)
    expect(order[0]).to.match(/^@svc\/(?:contract|store) \d/)

    const report = JSON.parse(read('contract/contract.json')) as Report
    const passed = report.verdicts.filter(({ outcome }) => outcome === 'passed')
    expect(passed.length).to.be.at.least(370)
    expect(read('contract/contract.html')).to.contain('<!doctype html>')
  })

  it('has the same SBOMs whenever it is made', () => {
    const [one = '', other = ''] = ['one', 'other'].map((name) => path.join(folder, name))
    const first = writeSboms(ROOT, one, commitTime(ROOT)).map(sumOf)
    expect(writeSboms(ROOT, other, commitTime(ROOT)).map(sumOf)).to.deep.equal(first)
  })
})

/** What `svc-contract` writes. */
interface Report {
  readonly verdicts: readonly { readonly outcome: string }[]
}
