import type { RouteRow } from '@svc/platform'
import { expect } from 'chai'
import { bodyFaults } from '../../../../docs/build/bodies.ts'
import { doubledKinds } from '../../../../docs/build/data-model.ts'

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
})
