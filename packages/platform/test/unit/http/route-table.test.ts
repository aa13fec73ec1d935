import { expect } from 'chai'
import { describe, it } from 'mocha'
import type { RouteRow } from '../../../src/http/route.ts'
import { type MountedRow, RouteTable } from '../../../src/http/route-table.ts'
import { testRow } from './serve-rows.ts'

function row(method: RouteRow['method'], path: string): MountedRow {
  return { row: testRow({ method, path }), run: async () => {} }
}

function found(table: RouteTable, path: string): readonly string[] {
  return table.find(path).map((at) => at.path)
}

describe('the table of routes', () => {
  it('finds a path of any mount, and of patterns those that are fixed first', () => {
    const table = new RouteTable()
    const first = table.declare([row('GET', '/data/:type'), row('GET', '/data/all')])
    const second = table.declare([row('POST', '/data/:other'), row('GET', '/:anything/all')])
    expect(found(table, '/data/all')).to.deep.equal(['/data/all'])
    expect(table.find('/data/x').map(({ mount }) => mount)).to.deep.equal([first, second])
    expect(found(table, '/DATA/all')).to.deep.equal(['/:anything/all'])
    for (const path of ['/data', '/data/', '/data/x/y', '/', '']) {
      expect(found(table, path), path).to.deep.equal([])
    }
  })

  it('forgets what it found when something is mounted', () => {
    const table = new RouteTable()
    table.declare([row('GET', '/one')])
    expect([found(table, '/one'), found(table, '/two')]).to.deep.equal([['/one'], []])
    table.declare([row('GET', '/two'), row('GET', '/:any')])
    expect(found(table, '/two')).to.deep.equal(['/two'])
    expect(found(table, '/three')).to.deep.equal(['/:any'])
  })

  it('has one entry for the methods of a path, and GET takes HEAD', () => {
    const table = new RouteTable()
    table.declare([row('GET', '/one'), row('PUT', '/one')])
    const [at] = table.find('/one')
    const methods = ['GET', 'HEAD', 'PUT', 'POST'].map((method) => at?.find(method)?.row.method)
    expect(methods).to.deep.equal(['GET', 'GET', 'PUT', undefined])
  })

  const pairs: readonly (readonly [one: string, other: string, overlap: boolean])[] = [
    ['/a', '/a', true],
    ['/a', '/b', false],
    ['/a/:id', '/a/:name', true],
    ['/a/:id', '/a/new', true],
    ['/a/new', '/a/:id', true],
    ['/a/:id', '/b/:id', false],
    ['/a/:id', '/a/:id/x', false],
  ]
  for (const [one, other, overlap] of pairs) {
    it(`${one} and ${other} ${overlap ? 'overlap' : 'are apart'}`, () => {
      const table = new RouteTable()
      const mounts = [one, other].map((path) => table.declare([row('GET', path)]))
      const [first, second] = mounts.map((mount) => table.pathsOf(new Set([mount]))[0])
      expect(first !== undefined && second !== undefined && first.overlaps(second)).to.equal(
        overlap,
      )
    })
  }
})
