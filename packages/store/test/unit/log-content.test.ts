import { inspect } from 'node:util'
import { expect } from 'chai'
import { eventually } from '../../src/contract/suite.ts'
import { describeError, type StoreLog } from '../../src/index.ts'
import { parseStored } from '../../src/parse-stored.ts'
import { sqliteStore } from '../../src/sqlite/index.ts'
import { createSubscribers } from '../../src/subscribers.ts'

/** Content that no line of a log may hold. */
const SECRET = 'hunter2'

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('the log of a store', () => {
  let lines: Readonly<Record<string, unknown>>[]
  const note = (fields: Readonly<Record<string, unknown>>): void => void lines.push(fields)
  const log: StoreLog = { warn: note, error: note }
  /** All that a logger could print, members of errors and their causes included. */
  const printed = (): string => inspect(lines, { depth: 20, showHidden: true })
  beforeEach(() => {
    lines = []
  })

  it('says of a message that is no JSON only its channel and its size', () => {
    const heard: unknown[] = []
    const subscribers = createSubscribers(log, () => {})
    subscribers.add('c', (message) => heard.push(message))
    subscribers.add('c', (message) => heard.push(message))
    subscribers.deliver('c', `{"a":${SECRET}}`)
    subscribers.deliver('c', '{"a":1}')
    expect(heard).to.deep.equal([{ a: 1 }, { a: 1 }])
    expect(lines).to.deep.equal([{ event: 'store.bus_message_malformed', channel: 'c', size: 13 }])
  })

  it('says of a handler that threw where, and nothing that it read', async () => {
    const store = sqliteStore({ file: ':memory:', log })
    await store.scheduler.process('q', async () => {
      throw Object.assign(new Error('the handler failed'), { body: SECRET, cause: SECRET })
    })
    await store.scheduler.at('q', 'a', Date.now())
    await eventually(() => lines.length > 0)
    const subscribers = createSubscribers(log, () => {})
    subscribers.add('c', () => JSON.parse(`{"a":${SECRET}}`))
    subscribers.deliver('c', '1')
    await store.close()
    expect(lines.map(({ event }) => event)).to.include.members([
      'store.wake_up_failed',
      'store.bus_handler_failed',
    ])
    expect(printed()).to.include('the handler failed').and.include('log-content.test.ts')
    expect(printed()).to.not.include(SECRET)
  })

  it('gets no record that cannot be read', () => {
    const error = thrownBy(() => parseStored(`{"a":${SECRET}}`))
    expect(error).to.have.property('message', 'what is stored cannot be read')
    expect(inspect(error, { showHidden: true })).to.not.include(SECRET)
  })
})

describe('describeError', () => {
  it('answers the stack of an error, and nothing else that it holds', () => {
    const error = Object.assign(new Error('no answer'), { command: { args: [SECRET] } })
    expect(describeError(error)).to.match(/^Error: no answer\n {4}at /)
    expect(describeError(error)).to.not.include(SECRET)
  })

  it('leaves out the message of a SyntaxError, however long, which quotes what was parsed', () => {
    for (const text of [SECRET, `{"a":${SECRET}}`, `["a",\n    at ${SECRET}\n`]) {
      const described = describeError(thrownBy(() => JSON.parse(text)))
      expect(described).to.match(/^SyntaxError\n {4}at /)
      expect(described).to.not.include(SECRET)
    }
    const changed = new SyntaxError(SECRET)
    expect(changed.stack).to.include(SECRET)
    changed.message = 'other'
    expect(describeError(changed)).to.equal('SyntaxError')
  })

  it('names only the kind of what is no error', () => {
    for (const thrown of [SECRET, { a: SECRET }, undefined, null]) {
      expect(describeError(thrown)).to.equal(`a thrown ${thrown === null ? 'null' : typeof thrown}`)
    }
  })
})
