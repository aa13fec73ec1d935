import { DAY_MS } from '@svc/platform'
import { expect } from 'chai'
import { parseCategories } from '../../../src/index.ts'

const PLAIN = {
  description: '',
  collapsible: false,
  stateful: false,
  multiple: false,
  sensitive: false,
}

describe('declarations of notifications (4.2)', () => {
  it('takes defaults for what is not said', () => {
    const { categories, faults } = parseCategories({ balance: {} })
    expect([...categories]).to.deep.equal([['balance', PLAIN]])
    expect(faults).to.deep.equal([])
  })

  const templates = {
    mail: 'file:./notifications/bills.tpl',
    'mail.text': 'file:bills.txt',
    'mail.fr': 'file:fr.tpl',
    'mail.text.pt-BR': 'file:pt.txt',
    'mobile.de': 'file:m',
    sms: 'file:s',
  }
  it('reads every member, and ignores those nobody knows', () => {
    const all = {
      description: 'd'.repeat(500),
      collapsible: true,
      stateful: true,
      multiple: true,
      sensitive: true,
    }
    const { categories, faults } = parseCategories({
      'Due.bills:late_1-x': {
        ...all,
        default_priority: 'high',
        templates,
        time_to_live: '2h',
        min_interval: 90_000_000_000,
        colour: 'red',
      },
    })
    expect(faults).to.deep.equal([])
    expect(categories.get('Due.bills:late_1-x')).to.deep.equal({
      ...all,
      defaultPriority: 'high',
      templates,
      timeToLiveMs: 7_200_000,
      minIntervalMs: 90_000,
    })
  })

  const durations: readonly [number | string, number | undefined][] = [
    [1_000_000_000, 1000],
    [1_500_000_000, 1500],
    [28 * 86_400 * 1_000_000_000, 28 * DAY_MS],
    ['1s', 1000],
    ['15m', 900_000],
    ['7d', 7 * DAY_MS],
    ['28d', 28 * DAY_MS],
    ['672h', 28 * DAY_MS],
    [999_999_999, undefined],
    [28 * 86_400 * 1_000_000_000 + 1_000_000_000, undefined],
    [1_000_000_000.5, undefined],
    ['0s', undefined],
    ['673h', undefined],
    ['29d', undefined],
    ['1w', undefined],
    ['1.5h', undefined],
    ['-1h', undefined],
    ['01h', undefined],
    ['1', undefined],
    ['', undefined],
  ]
  for (const [given, expected] of durations) {
    it(`${expected === undefined ? 'refuses' : 'reads'} the duration ${JSON.stringify(given)}`, () => {
      for (const [wire, own] of [
        ['time_to_live', 'timeToLiveMs'],
        ['min_interval', 'minIntervalMs'],
      ] as const) {
        const { categories } = parseCategories({ a: { [wire]: given } })
        expect(categories.get('a')?.[own]).to.equal(expected)
        expect(categories.has('a')).to.equal(expected !== undefined)
      }
    })
  }

  it('leaves out the categories that are wrong, says why, and keeps the others', () => {
    const wrong: Record<string, unknown> = {
      a: 'x',
      b: null,
      c: [],
      d: { description: 'd'.repeat(501) },
      e: { collapsible: 'yes' },
      f: { sensitive: 1 },
      g: { default_priority: 'urgent' },
      h: { templates: { web: 'file:x' } },
      i: { templates: { mail: 'https://example.com/x' } },
      j: { templates: { mail: 'file:a\u0000b' } },
      k: { time_to_live: '29d' },
      '-l': {},
      'm n': {},
      ['o'.repeat(65)]: {},
    }
    const { categories, faults } = parseCategories({ ...wrong, good: {} })
    expect([...categories.keys()]).to.deep.equal(['good'])
    expect(faults).to.have.length(Object.keys(wrong).length)
    expect(faults).to.include('e /collapsible must be boolean')
    expect(faults).to.include('-l is not the name of a category')
  })

  it('is not fooled by names of objects', () => {
    const value: unknown = JSON.parse('{"constructor":{},"__proto__":{"multiple":true},"a":{}}')
    const { categories } = parseCategories(value)
    expect([...categories.keys()]).to.deep.equal(['constructor', 'a'])
    expect(categories.get('a')?.multiple).to.equal(false)
  })

  it('takes at most 50 categories', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`c${n}`, {}]))
    const { categories, faults } = parseCategories(many)
    expect(categories.size).to.equal(50)
    expect(faults).to.have.length(10)
    expect(faults[0]).to.equal('c50 is one of more than 50')
  })

  it('takes nothing of what is no object, and finds nothing wrong where there is nothing', () => {
    for (const value of [undefined, null]) {
      expect(parseCategories(value)).to.deep.equal({ categories: new Map(), faults: [] })
    }
    for (const value of [[], 'x', 1, true]) {
      const { categories, faults } = parseCategories(value)
      expect(categories.size).to.equal(0)
      expect(faults).to.deep.equal(['notifications is not an object'])
    }
  })
})
