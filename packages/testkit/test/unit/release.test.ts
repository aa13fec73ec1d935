import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { verdict } from '../../../../.ci/publish/contract.ts'
import { type Place, placeFaults, readPlace } from '../../../../.ci/publish/place.ts'
import { licencesOf, sbomFaults } from '../../../../.ci/publish/sboms.ts'
import { differences, publishOrder } from '../../../../.ci/publish/tarballs.ts'
import { testFolder } from '../support/folders.ts'

describe('what a release refuses', () => {
  let folder: string
  beforeEach(() => {
    folder = testFolder()
  })

  /** Writes a file below the folder. @returns its absolute path */
  function put(file: string, content: string | object): string {
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, typeof content === 'string' ? content : JSON.stringify(content))
    return target
  }

  describe('looks at the place:', () => {
    const one = { name: '@svc/one', version: '0.2.0', repository: 'github:a/b' }
    const GOOD: Place = {
      changed: [],
      tags: ['v0.2.0', 'latest'],
      packages: [one, { ...one, name: '@svc/two' }],
      fixed: ['@svc/one', '@svc/two'],
      changesets: [],
      published: true,
      npm: '11.5.1',
      node: '22.14.0',
      environment: { NPM_ID_TOKEN: 'short' },
    }

    it('nothing is wrong', () => {
      expect(placeFaults(GOOD)).to.deep.equal([])
    })

    const refused: readonly (readonly [what: string, place: Partial<Place>, sentence: string])[] = [
      [
        'a changed tree',
        { changed: ['a.ts', 'b.ts', 'c.ts', 'd.ts'] },
        'The tree is not clean: a.ts, b.ts, c.ts, 1 more.',
      ],
      [
        'a package with a version of its own',
        { fixed: ['@svc/one'] },
        '.changeset/config.json does not keep @svc/two at',
      ],
      [
        'two versions',
        { packages: [one, { ...one, name: '@svc/two', version: '0.1.0' }] },
        'The packages have the versions 0.2.0 and 0.1.0: run',
      ],
      [
        'changesets that wait',
        { changesets: ['.changeset/a.md', '.changeset/b.md'] },
        '2 changesets wait, such as .changeset/a.md: run',
      ],
      ['a commit without a tag', { tags: [] }, 'The commit has no tag, and the packages are of'],
      [
        'a tag that is not the version',
        { tags: ['v0.20.0'] },
        'The commit has the tag v0.20.0, and the packages',
      ],
      ['an old npm', { npm: '11.5.0' }, 'npm 11.5.0 is too old for trusted publishing, which'],
      ['an old Node', { node: '22.9.0' }, 'Node 22.9.0 is too old for trusted publishing,'],
      [
        'packages that nobody published yet',
        { published: false },
        'Nothing was published yet, says "published" in',
      ],
      [
        'a package from nowhere',
        { packages: [one, { name: '@svc/two', version: '0.2.0' }] },
        '@svc/two: the manifest has no "repository", which',
      ],
      [
        'a token that lasts',
        { environment: { NPM_ID_TOKEN: 'short', NODE_AUTH_TOKEN: 'long' } },
        'NODE_AUTH_TOKEN is set, and a release takes no',
      ],
      [
        'a run that proves nothing',
        { environment: { NPM_ID_TOKEN: '' } },
        'Nothing here proves to the registry which workflow',
      ],
    ]
    for (const [what, place, sentence] of refused) {
      it(`${what} is refused`, () => {
        const [fault, ...more] = placeFaults({ ...GOOD, ...place })
        expect(fault).to.contain(sentence)
        expect(more).to.deep.equal([])
      })
    }

    it('as git, the manifests and the changesets have it', () => {
      const git = (...args: string[]): unknown => execFileSync('git', args, { cwd: folder })
      put('package.json', { published: false })
      put('.changeset/config.json', { fixed: [['@svc/one']] })
      put('packages/one/package.json', one)
      put('packages/kit/package.json', { name: '@svc/kit', version: '0.0.0', private: true })
      git('init', '-q')
      git('add', '.')
      git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'All')
      git('tag', 'v0.2.0')
      expect(readPlace(folder)).to.deep.include({
        changed: [],
        tags: ['v0.2.0'],
        packages: [one],
        fixed: ['@svc/one'],
        changesets: [],
        published: false,
        node: process.versions.node,
      })
      put('.changeset/new.md', '')
      put('packages/one/package.json', { ...one, version: '0.3.0' })
      const { changed, changesets } = readPlace(folder)
      expect(changed).to.have.members(['.changeset/new.md', 'packages/one/package.json'])
      expect(changesets).to.deep.equal(['.changeset/new.md'])
    })
  })

  it('refuses tarballs that differ or are missing', () => {
    const packed = ['same', 'other', 'gone'].map((name) => ({
      name,
      file: put(`one/${name}.tgz`, name),
    }))
    put('two/same.tgz', 'same')
    put('two/other.tgz', 'not the same')
    const [other, gone, ...more] = differences(packed, path.join(folder, 'two'))
    expect(other).to.match(
      /^other was packed twice and differs: \S+ is \w{64}, and \S+ is \w{64}\.$/,
    )
    expect(gone).to.equal('gone was not packed a second time.')
    expect(more).to.deep.equal([])
  })

  it('publishes a package after what it depends on, and knows when there is no order', () => {
    const version = '0.1.0'
    const top = { name: 'top', version, dependencies: { middle: version, koa: '3' } }
    const middle = { name: 'middle', version, dependencies: { ground: version } }
    const ground = { name: 'ground', version }
    const names = publishOrder([top, middle, ground]).map(({ name }) => name)
    expect(names).to.deep.equal(['ground', 'middle', 'top'])
    const circle = { ...ground, dependencies: { top: version } }
    expect(() => publishOrder([top, middle, circle])).to.throw('top, middle, ground depend on each')
  })

  it('refuses what fails the contract, and what the contract could not ask', () => {
    expect(verdict(0, 'out')).to.equal(undefined)
    expect(verdict(1, 'out')).to.equal(
      'The packed packages fail the contract: see out/contract.html.',
    )
    expect(verdict(2, 'out')).to.contain('could not be asked by the contract (2)')
    expect(verdict(null, 'out')).to.contain('could not be asked by the contract (null)')
  })

  describe('holds its SBOMs against the schema and the packages:', () => {
    const ref = 'pkg:npm/%40svc/one@0.2.0'
    const koa = {
      type: 'library',
      name: 'koa',
      version: '3.3.0',
      'bom-ref': 'pkg:npm/koa@3.3.0',
      licenses: [{ license: { id: 'MIT' } }],
    }
    const GOOD = {
      bomFormat: 'CycloneDX',
      specVersion: '1.7',
      serialNumber: 'urn:uuid:0fd7429f-b382-4f75-a057-c3351566621d',
      version: 1,
      metadata: {
        timestamp: '2026-01-02T03:04:05.000Z',
        component: { type: 'library', name: 'one', version: '0.2.0', 'bom-ref': ref },
      },
      components: [koa],
      dependencies: [{ ref, dependsOn: [koa['bom-ref']] }],
    }

    function faults(sbom: object, file = 'svc-one.cdx.json'): string[] {
      put('packages/one/package.json', { name: '@svc/one', version: '0.2.0' })
      return sbomFaults(folder, [put(file, sbom)])
    }

    it('nothing is wrong', () => {
      expect(faults(GOOD)).to.deep.equal([])
    })

    const broken: readonly (readonly [what: string, sbom: object, sentence: string])[] = [
      ['a number that is none', { serialNumber: 'urn:uuid:1' }, '/serialNumber'],
      ['a member that nobody knows', { parts: [] }, 'must NOT have additional properties'],
      [
        'a time that is none',
        { metadata: { ...GOOD.metadata, timestamp: '2026-13-02T03:04:05Z' } },
        '/metadata/timestamp must match format',
      ],
      [
        'a licence that SPDX has not got',
        { components: [{ ...koa, licenses: [{ license: { id: 'Mine' } }] }] },
        '/components/0/licenses',
      ],
      ['a part twice', { components: [koa, koa] }, '/components must NOT have duplicate items'],
    ]
    for (const [what, change, sentence] of broken) {
      it(what, () => {
        const [fault, ...more] = faults({ ...GOOD, ...change })
        expect(fault).to.match(/^svc-one\.cdx\.json is no CycloneDX 1\.7: /)
        expect(fault).to.contain(sentence)
        expect(more).to.deep.equal([])
      })
    }

    it('a package without one, one of another package, and a part that is not listed', () => {
      expect(faults(GOOD, 'svc-two.cdx.json')).to.deep.equal(['@svc/one has no SBOM.'])
      const component = { ...GOOD.metadata.component, 'bom-ref': 'pkg:npm/two@0.2.0' }
      expect(
        faults({ ...GOOD, metadata: { ...GOOD.metadata, component }, dependencies: [] }),
      ).to.deep.equal(['The SBOM of @svc/one is of pkg:npm/two@0.2.0.'])
      expect(faults({ ...GOOD, components: [] })).to.deep.equal([
        'The SBOM of @svc/one names pkg:npm/koa@3.3.0 and does not list it.',
      ])
    })

    it('licences are listed, and one that is not allowed is refused', () => {
      const grim = { ...koa, 'bom-ref': 'pkg:npm/%40a/grim@1.0.0', version: '1.0.0', licenses: [] }
      const file = put('one.json', { ...GOOD, components: [koa, grim] })
      expect(licencesOf([file, file])).to.deep.equal({
        lines: ['@a/grim@1.0.0 none', 'koa@3.3.0 MIT'],
        faults: ['@a/grim@1.0.0: the licence none is not on the list'],
      })
    })
  })
})
