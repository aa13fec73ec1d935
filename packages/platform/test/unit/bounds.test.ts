import http from 'node:http'
import { expect } from 'chai'
import { limitConnections } from '../../src/index.ts'

describe('the options of limitConnections', () => {
  function faultsOf(options: object): string[] {
    try {
      limitConnections(http.createServer(), options)
    } catch (error) {
      expect(error).to.be.instanceOf(TypeError)
      return (error as TypeError).message.split('\n')
    }
    return []
  }

  it('are all named that are unknown or out of range', () => {
    expect(faultsOf({})).to.deep.equal([])
    expect(faultsOf({ connectionsPerAddress: 0, pipelined: 0 })).to.deep.equal([])
    expect(faultsOf({ conections: 1, idleMs: 0, sweepMs: 1.5, headersMs: 40_000 })).to.deep.equal([
      'options.conections is unknown',
      'options.idleMs must be a whole number from 1 to 2147483647',
      'options.sweepMs must be a whole number from 1 to 2147483647',
      'options.headersMs must be at most options.requestMs',
    ])
  })
})
