import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { createTemplateEngine } from '../../../src/render/template-engine.ts'

const engine = createTemplateEngine()

describe('templates of apps (10.3)', () => {
  it('escape what they are given in mails, and not in texts', () => {
    const data = { name: `<b>"Bob" & 'co'</b>` }
    expect(engine.render('html', 'Hi {{ name }}', data)).to.equal(
      'Hi &lt;b&gt;&#34;Bob&#34; &amp; &#39;co&#39;&lt;/b&gt;',
    )
    expect(engine.render('text', 'Hi {{ name }}', data)).to.equal(`Hi ${data.name}`)
  })

  for (const output of [
    '{{ a | upcase }}',
    '{% echo a %}',
    '{% cycle a %}',
    '{{ a | append: a }}',
  ]) {
    it(`escape the output of ${output} too`, () => {
      expect(engine.render('html', output, { a: '<i>' })).to.not.include('<')
    })
  }

  it('take raw in mails, not in texts', () => {
    expect(engine.render('html', '{{ a | raw }}', { a: '<b>' })).to.equal('<b>')
    expect(() => engine.render('text', '{{ a | raw }}', { a: '<b>' })).to.throw('raw')
  })

  it('never evaluate what they are given', () => {
    const words = '{{ secret }} {% if true %}x{% endif %} {{ "a" | upcase }}'
    for (const form of ['html', 'text'] as const) {
      const output = engine.render(form, '{{ words }}{{ words | append: "" }}', {
        words,
        secret: 1,
      })
      expect(output.match(/\{\{ secret \}\}/g)).to.have.lengthOf(2)
    }
  })

  it('see own members only', () => {
    const source =
      '[{{ constructor }}{{ a.constructor.name }}{{ a.__proto__ }}{{ a.toString }}{{ list.map }}]'
    expect(engine.render('text', source, { a: { x: 1 }, list: [1] })).to.equal('[]')
  })

  for (const tag of ['include', 'render', 'layout', 'block']) {
    it(`have no ${tag}: nothing comes from files`, () => {
      for (const name of ['"/etc/passwd"', '"x"', 'none']) {
        expect(() => engine.render('html', `{% ${tag} ${name} %}`, {})).to.throw(tag)
      }
    })
  }

  it('fail on a filter that does not exist, not on a value', () => {
    expect(() => engine.render('html', '{{ a | shout }}', { a: 1 })).to.throw('shout')
    expect(engine.render('html', '[{{ nothing.at.all }}]', {})).to.equal('[]')
  })

  it('write dates in UTC, whatever the zone of the server', () => {
    const source = '{{ at | date: "%Y-%m-%d %H:%M" }}'
    expect(engine.render('text', source, { at: '2026-03-01T23:30:00+02:00' })).to.equal(
      '2026-03-01 21:30',
    )
  })

  it('write lists and nothing as words', () => {
    const data = { list: ['a', ['b', 1]], nothing: null, no: false }
    expect(engine.render('text', '{{ list }}{{ nothing }}{{ no }}', data)).to.equal('ab1false')
  })

  const doubling =
    '{% for i in (1..24) %}{% capture a %}{{ a }}{{ a }}xxxxxxxx{% endcapture %}{% endfor %}{{ a | size }}'
  const expensive: readonly (readonly [what: string, source: string, fault: RegExp])[] = [
    ['more than 256 KiB of template', 'x'.repeat(262_145), /parse length/],
    ['loops without end', loops('x'), /render limit|memory alloc|too large/],
    ['loops that take their time', loopsOverData(), /render limit/],
    ['empty loops without end', loops(''), /render limit|memory alloc/],
    ['lists that double', doublingList(), /memory alloc/],
    ['words that double', doublingWords(), /memory alloc/],
    ['captures that double', doubling, /memory alloc|too large/],
    ['captures of captures', capturesOfCaptures(), /memory alloc/],
    [
      'a literal that repeats',
      `{% for i in (1..1000000) %}${'y'.repeat(6000)}{% endfor %}`,
      /large/,
    ],
    ['ranges without end', '{% for i in (1..100000000) %}x{% endfor %}', /memory alloc/],
    ['pads without end', '{{ "now" | date: "%1000000000Y" }}', /memory alloc/],
    ['tags that are not closed', '{% if true %}x', /not closed/],
  ]
  for (const [what, source, { source: limit }] of expensive) {
    // On a slow machine the limit of time may come first.
    const fault = new RegExp(`${limit}|render limit`)
    it(`fail soon on ${what}`, async () => {
      const tookMs = await cpuMs(() => {
        for (const form of ['html', 'text'] as const) {
          const data = { list: Array.from({ length: 1000 }, (_, at) => at) }
          expect(() => engine.render(form, source, data), form).to.throw(fault)
        }
      })
      expect(tookMs).to.be.lessThan(scaledLimit(2000))
    })
  }

  it('fail on more than 512 KiB of output, counted in bytes', () => {
    const repeat = (times: number, text: string): string =>
      engine.render('text', `{% for i in (1..${times}) %}${text}{% endfor %}`, {})
    expect(repeat(5000, 'x'.repeat(100))).to.have.lengthOf(500_000)
    expect(() => repeat(2000, '€'.repeat(100))).to.throw('too large')
  })

  it('go on working after all that, parsed once or anew', () => {
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 80; at += 1) {
        expect(engine.render('text', `${at}: {{ a }}`, { a: round })).to.equal(`${at}: ${round}`)
      }
    }
  })
})

function loops(body: string): string {
  return `{% for i in (1..100000) %}{% for j in (1..100000) %}${body}{% endfor %}{% endfor %}`
}

function loopsOverData(): string {
  const [open, close] = ['{% for i in list %}', '{% endfor %}']
  return `${open.repeat(3)}${close.repeat(3)}`
}

function doublingList(): string {
  return '{% assign a = "1,2" | split: "," %}{% for i in (1..32) %}{% assign a = a | concat: a %}{% endfor %}'
}

function doublingWords(): string {
  return '{% assign a = "xxxx" %}{% for i in (1..40) %}{% assign a = a | append: a %}{% endfor %}'
}

/** What it keeps is counted: no number of captures fills the memory. */
function capturesOfCaptures(): string {
  const big = '{% for i in (1..400) %}0123456789012345678901234567890123456789{% endfor %}'
  const names = Array.from({ length: 20 }, (_, at) => `b${at}`)
  const copies = names.map((name) => `{% capture ${name} %}{{ a }}{% endcapture %}`)
  return [`{% capture a %}${big.repeat(20)}{% endcapture %}`, ...copies].join('')
}
