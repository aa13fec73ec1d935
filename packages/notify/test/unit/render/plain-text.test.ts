import { expect } from 'chai'
import { toPlainText } from '../../../src/render/plain-text.ts'

describe('words of mark-up', () => {
  const cases: readonly (readonly [what: string, html: string, text: string])[] = [
    ['paragraphs and line breaks', '<p>One<br>two</p><p>three</p>', 'One\ntwo\n\nthree'],
    ['headings as they are', '<h1>Hello you</h1><p>x</p>', 'Hello you\n\nx'],
    ['lists', '<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    [
      'links with their address',
      '<a href="https://a.example/x">Go</a>',
      'Go [https://a.example/x]',
    ],
    [
      'links that say their address once',
      '<a href="https://a.example">https://a.example</a>',
      'https://a.example',
    ],
    [
      'images by their words',
      '<p><img src="x.png" alt="Logo"> Bank<img src="y.png"></p>',
      'Logo Bank',
    ],
    ['characters by their name', '<p>a &amp; b &lt;i&gt; &eacute;</p>', 'a & b <i> é'],
    [
      'nothing of styles, scripts, heads and comments',
      '<html><head><title>t</title><style>p{}</style></head><body><!-- c --><script>x</script><p>y</p></body></html>',
      'y',
    ],
    [
      'rows of tables',
      '<table><tr><td>a</td><th>1</th></tr><tr><td>b</td><td>2</td></tr></table>',
      'a 1\nb 2',
    ],
    ['tables of layouts', '<table><tr><td><p>a</p></td><td><p>b</p></td></tr></table>', 'a\n\nb'],
  ]
  for (const [what, html, text] of cases) {
    it(`keep ${what}`, () => {
      expect(toPlainText(html)).to.equal(text)
    })
  }

  it('are not wrapped, and not cut', () => {
    const line = 'word '.repeat(400).trim()
    expect(toPlainText(`<p>${line}</p>`)).to.equal(line)
    const many = Array.from({ length: 3000 }, (_, at) => `<p>${at}</p>`).join('')
    expect(toPlainText(many).split('\n\n')).to.have.lengthOf(3000)
  })

  it('take no stack of mark-up down', () => {
    for (const html of ['<div>'.repeat(60_000), '<ul><li>'.repeat(30_000), '<'.repeat(300_000)]) {
      expect(() => toPlainText(html)).to.not.throw()
    }
  })
})
