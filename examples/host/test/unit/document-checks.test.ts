import type { RouteRow } from '@svc/platform'
import { expect } from 'chai'
import { bodyFaults } from '../../../../docs/build/bodies.ts'
import { doubledKinds } from '../../../../docs/build/data-model.ts'
import { formFaults } from '../../../../docs/build/decisions.ts'
import { durationText } from '../../../../docs/build/durations.ts'
import { errorFaults } from '../../../../docs/build/errors.ts'
import { firstUseFaults, glossary, glossaryFaults } from '../../../../docs/build/glossary.ts'
import { walkFaults } from '../../../../docs/build/walks.ts'
import { DEFAULT_LIFETIMES } from '../../../../packages/auth-ui/src/lifetimes.ts'

describe('checks of the documents', () => {
  it('find a kind of record that a part of the data model lists twice', () => {
    const document = [
      '## `@svc/one`',
      '| `client` | id | ... |',
      '| `client-seen` | id | ... |',
      '| `client-use`, `client-seen` | id | ... |',
      '## `@svc/two`',
      '| `client` | id | ... |',
    ].join('\n')
    expect(doubledKinds(document)).to.deep.equal(['client-seen'])
  })

  it('find a row that takes a body and does not say what is in it', () => {
    const row = (path: string, body?: RouteRow['body']): RouteRow => ({
      method: 'POST',
      path,
      handler: () => {},
      auth: ['none'],
      statuses: [200],
      family: 'json',
      summary: '',
      source: '',
      ...(body !== undefined && { body }),
    })
    const told = { type: 'object', properties: { name: { type: 'string' } } }
    const faults = bodyFaults([
      {
        name: '',
        title: '',
        rows: [
          row('/none'),
          row('/told', { types: ['json'], schema: told }),
          row('/any', { types: ['json'], schema: { description: 'any document' } }),
          row('/silent', { types: ['json'] }),
          row('/understated', { types: ['json', 'form'], schema: { type: 'object' } }),
        ],
      },
    ])
    expect(faults.map((fault) => fault.split(':')[0])).to.deep.equal([
      'POST /silent',
      'POST /understated',
    ])
  })

  it('find a decision without its number, and one without a theme of the index', () => {
    const theme = 'store: engines'
    const faults = formFaults([
      { file: '0001-one.md', heading: '# 0001 One thing is so', theme },
      { file: '0002-two.md', heading: '# 0003 Another thing is so', theme },
      { file: '0003-three.md', heading: '# 0003 A third thing is so', theme: undefined },
      { file: '0004-four.md', heading: '# 0004 A fourth thing is so', theme: 'store: engine' },
    ]).filter((fault) => fault.startsWith('docs/decisions/'))
    expect(faults.map((fault) => fault.split(':')[0])).to.deep.equal([
      'docs/decisions/0002-two.md does not begin with "# 0002 <title>"',
      'docs/decisions/0003-three.md has no theme',
      'docs/decisions/0004-four.md has the unknown theme "store',
    ])
  })

  it('find a theme of the index that no decision has', () => {
    expect(formFaults([])).to.include(
      'docs/build/decisions.ts: no decision has the theme "store: engines"',
    )
  })

  it('find an error that does not say when it is answered', () => {
    const told = { status: 400, text: 'A parameter is malformed.', source: 'RFC 6749 5.2' }
    const errors = { invalid_request: told, conflict: { ...told, text: ' ' } }
    expect(errorFaults([{ name: '@svc/one', errors }])).to.deep.equal([
      'docs/errors.md: conflict of @svc/one has no text',
    ])
  })

  it('find a step of a walk that go-to-definition does not reach, and a wrong number of files', () => {
    const walk = (title: string, ...steps: readonly string[]): string =>
      [`### ${title}`, ...steps.map((step) => `- \`platform/http/${step}\``), ''].join('\n')
    const faults = walkFaults(
      [
        walk('A request (2 files)', 'router.ts#mountRoutes', 'render-error.ts#renderError'),
        walk('Another (2 files)', 'router.ts#mountRoutes', 'resolve-instance.ts#hostOf'),
        walk('A third (1 files)', 'router.ts#mountRoutes', 'router.ts#noSuchFunction'),
        walk('A fourth (3 files)', 'router.ts#mountRoutes'),
      ].join('\n'),
    )
    expect(faults.map((fault) => fault.replace('docs/architecture.md: ', ''))).to.deep.equal([
      'Another (2 files): packages/platform/src/http/resolve-instance.ts#hostOf is not used by a step before it',
      'A third (1 files): packages/platform/src/http/router.ts#noSuchFunction is not declared there',
      'A fourth (3 files): a title ends with its number of files, here (1 files)',
    ])
  })

  it('find a code whose first use on a page does not lead to the glossary', () => {
    const page = [
      '# What a session code is',
      'The field `magic code` and a button "Use a recovery code" are no uses; a [reset token](mails.md) leads elsewhere.',
      'The [magic code](../glossary.md#codes) is mailed, and a second magic code, too.',
      'Then comes a session',
      'code, and a [session code](../glossary.md#codes).',
      'Passcodes are typed.',
    ].join('\n')
    expect(firstUseFaults('page.md', page)).to.deep.equal([
      'page.md: the first "session code" is no link to glossary.md#codes',
      'page.md: the first "passcode" is no link to glossary.md#codes',
    ])
  })

  it('find a row of the glossary that the interface does not have', () => {
    const faults = glossaryFaults([])
    expect(faults).to.include(
      'docs/glossary.md: session code: there is no row POST /auth/session_code',
    )
    expect(faults).to.include(
      'docs/glossary.md: nonce: there is no row POST /auth/clients/:clientId/challenge',
    )
  })

  it('write the codes of the glossary with the lives of lifetimes.ts', () => {
    const { content } = glossary()
    const row = content.split('\n').find((line) => line.startsWith('| transfer code |')) ?? ''
    expect(row).to.include(`| ${durationText(DEFAULT_LIFETIMES.transferCode)} |`)
  })
})
