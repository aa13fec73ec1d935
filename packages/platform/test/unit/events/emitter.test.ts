import { expect } from 'chai'
import { createEmitter } from '../../../src/events/emitter.ts'

describe('events', () => {
  interface Events {
    readonly 'client.created': object
    readonly 'client.deleted': object
    readonly 'client.updated': object
  }
  const event = { name: 'event' }

  it('reach every handler until it is taken off', () => {
    const { emit, on } = createEmitter<Events>({ info() {}, warn() {}, error() {} })
    const heard: string[] = []
    const handler = (): number => heard.push('same')
    const off = on('client.created', handler)
    on('client.created', handler)
    on('client.deleted', () => heard.push('other'))
    emit('client.created', event)
    expect(heard).to.deep.equal(['same', 'same'])
    off()
    off()
    emit('client.created', event)
    expect(heard).to.deep.equal(['same', 'same', 'same'])
    emit('client.updated', event)
  })

  it('reach the other handlers when one throws, which is logged', () => {
    const logged: [string, unknown, string][] = []
    const { emit, on } = createEmitter<Events>({
      info() {},
      warn() {},
      error(event: string, fields?: Readonly<Record<string, unknown>>) {
        logged.push([event, fields?.['name'], String(fields?.['cause'])])
      },
    })
    let calls = 0
    on('client.created', () => {
      throw new Error('handler')
    })
    on('client.created', () => {
      calls += 1
    })
    emit('client.created', event)
    expect(calls).to.equal(1)
    const [[line, name, cause] = []] = logged
    expect([logged.length, line, name]).to.deep.equal([1, 'event.handler_failed', 'client.created'])
    expect(cause).to.match(/^Error: handler\n {4}at /)
  })
})
