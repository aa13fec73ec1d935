import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { declarationsOf } from '../../../../.ci/public/api-reports.ts'
import {
  readChangeset,
  type ReleasedSurface,
  unnamedChanges,
} from '../../../../.ci/public/changes.ts'
import type { Surface } from '../../../../.ci/public/surface.ts'

const { surface: released } = JSON.parse(
  readFileSync(new URL('../../../../docs/reference/public.json', import.meta.url), 'utf8'),
) as ReleasedSurface // written by the check

/** Things that hosts, operators and clients build on, one of each kind. */
const CHANGED = [
  ['@svc/oauth-core', 'export', '@svc/oauth-core createOAuth', 'createOAuth'],
  ['@svc/oauth-core', 'option', 'createOAuth namespace', 'namespace'],
  ['@svc/oauth-core', 'path', 'POST /auth/register', 'POST /auth/register'],
  ['@svc/oauth-core', 'code', 'invalid_client', 'invalid_client'],
  ['@svc/example-host', 'metric', 'svc_build_info', 'svc_build_info'],
  ['@svc/auth-ui', 'text key', 'login.title', 'login.title'],
  ['@svc/example-host', 'setting', 'SVC_KEYS', 'SVC_KEYS'],
  ['@svc/auth-ui', 'slot', 'page.top', 'page.top'],
  ['@svc/auth-ui', 'custom property', '--color-page', '--color-page'],
  ['@svc/notify', 'mail', 'onboarding', 'onboarding'],
  ['@svc/store', 'log event', 'store.eviction_on', 'store.eviction_on'],
  ['@svc/auth-ui', 'page model', 'consent', 'consent'],
] as const

describe('what is public', () => {
  it('needs no changeset as long as it is what was released', () => {
    expect(unnamedChanges(released, released, [])).to.deep.equal([])
  })

  for (const [name, area, item, said] of CHANGED) {
    it(`needs a changeset of ${name} that names ${said} when this ${area} changes`, () => {
      expect(released[name]?.[area], area).to.have.property(item)
      const changes: readonly (readonly [Surface, string])[] = [
        [changed(name, area, item, 'something else'), 'was'],
        [changed(name, area, item, undefined), 'is gone'],
      ]
      for (const [now, words] of changes) {
        const [fault, ...others] = unnamedChanges(released, now, [about('@svc/mcp', said)])
        expect(others).to.deep.equal([])
        expect(fault).to.include(`${area} \`${item}\` of ${name} ${words}`)
        expect(unnamedChanges(released, now, [about(name, said)])).to.deep.equal([])
      }
      expect(unnamedChanges(changed(name, area, item, undefined), released, [])).to.have.lengthOf(1)
    })
  }

  it('is named by what its names begin with, and not by part of a word', () => {
    const now = changed('@svc/auth-ui', 'text key', 'login.title', undefined)
    const faultsOf = (said: string): string[] =>
      unnamedChanges(released, now, [about('@svc/auth-ui', said)])
    expect(faultsOf('login.*')).to.deep.equal([])
    expect(faultsOf('login.titles')).to.have.lengthOf(1)
    expect(faultsOf('*')).to.have.lengthOf(1)
  })
})

describe('a report on declarations', () => {
  it('has each export with all of its declarations', () => {
    const text =
      '## API\n\n```ts\n\n// @public\nexport function one(a: string): void;\n\n// @public (undocumented)\nexport function one(a: number): void;\n\n// @public\nexport interface Two {\n    // (undocumented)\n    readonly a: string;\n}\n\nexport { Three }\n\n```\n'
    const found = declarationsOf({ text })
    expect([...found.keys()]).to.deep.equal(['one', 'Two', 'Three'])
    expect(found.get('one')).to.include('a: string').and.to.include('a: number')
    expect(found.get('Two')).to.include('readonly a: string')
  })
})

function changed(name: string, area: string, item: string, rule: string | undefined): Surface {
  const { [item]: _before, ...others } = released[name]?.[area] ?? {}
  const items = rule === undefined ? others : { ...others, [item]: rule }
  return { ...released, [name]: { ...released[name], [area]: items } }
}

function about(name: string, said: string) {
  return readChangeset(
    '.changeset/a.md',
    `---\n'${name}': minor\n---\n\nNow \`${said}\` differs.\n`,
  )
}
