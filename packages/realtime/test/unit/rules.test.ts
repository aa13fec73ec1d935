import { expect } from 'chai'
import { describe, it } from 'mocha'
import { Admissions } from '../../src/handshake/admission.ts'
import { createTypeRules, maySubscribe } from '../../src/events/doctype.ts'
import { checkEvent, eventFrame } from '../../src/events/event.ts'
import { Hub } from '../../src/events/hub.ts'
import { MessageMeter } from '../../src/connection/message-meter.ts'
import { RecentIds } from '../../src/events/recent-ids.ts'

const ALICE = 'alice' as never // An instance's id.

function clockAt(start: number): { now(): number; at: number } {
  const clock = { at: start, now: () => clock.at }
  return clock
}

describe('maySubscribe', () => {
  const rules = createTypeRules({
    namespace: 'org.example',
    settingsSlug: 'settings',
    reservedTypes: [],
    serverTypes: [],
    freeTypes: [],
    aliases: { 'org.example.thumbnails': 'org.example.sessions' },
  })
  const everything = { kind: 'access', allows: () => true } as const

  it('refuses reserved types of the namespace, behind an alias too', () => {
    expect(maySubscribe(rules, everything, 'org.example.sessions', undefined)).to.equal(false)
    expect(maySubscribe(rules, everything, 'org.example.thumbnails', 'one')).to.equal(false)
    expect(maySubscribe(rules, everything, 'io.svc.sessions', undefined)).to.equal(true)
  })
})

describe('Hub', () => {
  it('tells nobody after close, and forgets the topic', () => {
    const hub = new Hub({ maxSubscriptions: 5 })
    const heard: string[] = []
    const subscriber = hub.subscriber(ALICE, (frame) => heard.push(String(frame)))
    subscriber.subscribe({ type: 'a' })
    subscriber.subscribe({ type: 'b', id: '1' })
    hub.deliver(ALICE, { verb: 'CREATED', type: 'a', id: '1' })
    hub.deliver('bob' as never, { verb: 'CREATED', type: 'a', id: '1' })
    expect(hub.stats()).to.deep.equal({ subscriptions: 2, topics: 2 })
    subscriber.close()
    subscriber.close()
    subscriber.subscribe({ type: 'a' })
    hub.deliver(ALICE, { verb: 'CREATED', type: 'a', id: '1' })
    expect(heard).to.deep.equal(['{"event":"CREATED","payload":{"type":"a","id":"1"}}'])
    expect(hub.stats()).to.deep.equal({ subscriptions: 0, topics: 0 })
  })

  it('lets a subscriber close while it hears', () => {
    const hub = new Hub({ maxSubscriptions: 5 })
    let count = 0
    const first = hub.subscriber(ALICE, () => first.close())
    const second = hub.subscriber(ALICE, () => {
      count += 1
    })
    for (const each of [first, second]) each.subscribe({ type: 'a' })
    hub.deliver(ALICE, { verb: 'CREATED', type: 'a', id: '1' })
    expect([count, hub.stats().subscriptions]).to.deep.equal([1, 1])
  })
})

describe('checkEvent', () => {
  it('keeps no connection to what it was given', () => {
    const doc = { list: [1], gone: undefined }
    const event = checkEvent('CREATED', { type: 'a', id: '1', doc }, 100)
    doc.list.push(2)
    expect(JSON.parse(String(eventFrame(event)))).to.have.deep.nested.property('payload.doc', {
      list: [1],
    })
  })
})

describe('RecentIds', () => {
  it('knows an id for as long as said, and no more than so many', () => {
    const clock = clockAt(0)
    const recent = new RecentIds({ clock, keepMs: 100, max: 2 })
    expect([recent.isNew('a'), recent.isNew('a')]).to.deep.equal([true, false])
    clock.at = 100
    expect(recent.isNew('a')).to.equal(true)
    for (const id of ['b', 'c', 'd']) recent.isNew(id)
    expect([recent.isNew('d'), recent.isNew('a')]).to.deep.equal([false, true])
  })
})

describe('MessageMeter', () => {
  it('lets so many through in a window', () => {
    const clock = clockAt(1000)
    const meter = new MessageMeter({ clock, limit: 2, windowMs: 10 })
    expect([meter.isWithin(), meter.isWithin(), meter.isWithin()]).to.deep.equal([
      true,
      true,
      false,
    ])
    clock.at = 1010
    expect(meter.isWithin()).to.equal(true)
    clock.at = 5
    expect([meter.isWithin(), meter.isWithin(), meter.isWithin()]).to.deep.equal([
      true,
      true,
      false,
    ])
  })
})

describe('Admissions', () => {
  const limits = { instanceConnections: 3, addressConnections: 2, pendingConnections: 1 }

  it('counts by instance, address and those who said nothing yet', () => {
    const admissions = new Admissions(limits)
    const first = admissions.admit(ALICE, '10.0.0.1')
    expect(admissions.admit(ALICE, '10.0.0.1')).to.equal(undefined)
    first?.authenticated()
    first?.authenticated()
    const second = admissions.admit(ALICE, '10.0.0.1')
    second?.authenticated()
    expect(admissions.admit('bob' as never, '10.0.0.1')).to.equal(undefined)
    const third = admissions.admit(ALICE, '10.0.0.2')
    expect(admissions.admit(ALICE, '10.0.0.3')).to.equal(undefined)
    for (const each of [first, first, second, third]) each?.release()
    expect(admissions.tracked).to.equal(0)
  })
})
