import { cpuMs, scaledLimit } from '@svc/testkit'
import { expect } from 'chai'
import { collapseBlanks, toBody, toTitle } from '../../../src/mail/clean-text.ts'
import { parseTemplatePath, referenceFor } from '../../../src/render/app-templates.ts'
import { cleanHtml } from '../../../src/render/clean-html.ts'
import { toPlainText } from '../../../src/render/plain-text.ts'

const OWN = ['app.example', 'app.example:8443']

/** Without the style of what is shown of links. */
function clean(html: string): string {
  return cleanHtml(html, OWN).replaceAll(/<span dir="ltr" style="[^"]*">/g, '<span>')
}

// D98
describe('mark-up of apps, cleaned', () => {
  const cases: readonly (readonly [what: string, html: string, cleaned: string])[] = [
    [
      'keeps words, tables and colours',
      '<table role="presentation" cellpadding="0" bgcolor="#fff"><tr><td style="padding:8px 0;color:red;text-align:center"><b>Low</b></td></tr></table>',
      '<table role="presentation" cellpadding="0" bgcolor="#fff"><tbody><tr><td style="padding:8px 0;color:red;text-align:center"><b>Low</b></td></tr></tbody></table>',
    ],
    [
      'leaves the head of a document out',
      '<!doctype html><html><head><title>T</title><style>p{color:red}</style><meta charset=utf-8><link rel=stylesheet href=https://e.example/x.css></head><body class=a><p>x</p></body></html>',
      '<p>x</p>',
    ],
    [
      'leaves positions, sizes and negative spaces out',
      '<p style="position:fixed;top:0;left:0;z-index:9;margin:-99px;margin-top:-1px;transform:scale(9);float:left;height:1px;width:2000px;line-height:0;white-space:nowrap;opacity:0;font-size:200px;padding:1px">x</p>',
      '<p style="padding:1px">x</p>',
    ],
    [
      'leaves remote parts out, and shows what images say',
      '<p style="background:url(https://e.example/x);background-image:url(//e)"><img src="https://e.example/p.gif" alt="A < B"><video src=//e></video></p>',
      '<p><span>A &lt; B</span></p>',
    ],
    [
      'leaves forms and scripts out',
      '<form action="https://e.example/"><input name=p><button onclick="x()">Go</button><select><option>o</option></select><textarea>t</textarea></form><script>s</script><svg><text>v</text></svg><iframe src=//e>f</iframe>',
      'Go',
    ],
    ['leaves names and events out', '<p id="a" class="card" onclick="x()">x</p>', '<p>x</p>'],
    ['lets no end leave the frame', '</div></td></tr></table>x<p><b>y', 'x<p><b>y</b></p>'],
    [
      'lets lines of code break',
      '<pre style="white-space:pre">a</pre>',
      '<pre style="white-space:pre-wrap">a</pre>',
    ],
    [
      'leaves links to the app alone',
      '<a href="https://app.example/x?a=1&amp;b">a</a><a href="https://app.example:8443/">b</a>',
      '<a href="https://app.example/x?a=1&amp;b">a</a><a href="https://app.example:8443/">b</a>',
    ],
    [
      'shows the host of other links',
      '<a href="https://evil.example/x">Confirm</a>',
      '<a href="https://evil.example/x">Confirm</a> <span>(evil.example)</span>',
    ],
    [
      'shows the port, and names as they are asked for',
      '<a href="http://app.example:81/">a</a><a href="https://bänk.example/">b</a>',
      '<a href="http://app.example:81/">a</a> <span>(app.example:81)</span><a href="https://xn--bnk-qla.example/">b</a> <span>(xn--bnk-qla.example)</span>',
    ],
    [
      'takes off what reads like a host and is none',
      '<a href="https://app.example@evil.example/">a</a>',
      '<a href="https://evil.example/">a</a> <span>(evil.example)</span>',
    ],
    [
      'shows the addresses of mails',
      '<a href="mailto:eve@evil.example?subject=x">a</a>',
      '<a href="mailto:eve@evil.example?subject=x">a</a> <span>(eve@evil.example)</span>',
    ],
    [
      'lets no app say what is shown',
      '<a href="https://evil.example/" data-shown="app.example" title=\' data-shown="app.example"\'>a</a>',
      '<a title=" data-shown=&quot;app.example&quot;" href="https://evil.example/">a</a> <span>(evil.example)</span>',
    ],
    [
      'takes the address off where it leads nowhere that is shown',
      '<a href="javascript:alert(1)">a</a><a href="/x">b</a><a href="//evil.example">c</a><a href="data:text/html,x">d</a>',
      '<a>a</a><a>b</a><a>c</a><a>d</a>',
    ],
    [
      'shows the host of a link in a link',
      '<a href="https://one.example/">a<table><a href="https://two.example/">b</a></table></a>',
      '<a href="https://one.example/">a<a href="https://two.example/">b</a><span>(two.example)</span><table> </table></a> <span>(one.example)</span>',
    ],
    [
      'makes words of cells without a table, which could end the one of the frame',
      '<td>a</td><tr><td>b</td></tr><tr></tr><table></table><td>c</td><table><div><table></table></div></table><td>d</td>',
      'ab<table></table>c<div></div><table></table><table></table>d',
    ],
    [
      'gives a table with a width the width of the frame',
      '<table width="600" style="color:red"><tr><td width="900">a</td></tr></table>',
      '<table style="color:red;width:100%"><tbody><tr><td>a</td></tr></tbody></table>',
    ],
  ]
  for (const [what, html, cleaned] of cases) {
    it(what, () => expect(clean(html)).to.equal(cleaned))
  }

  it('shows a host in a style of its own, whatever is around it', () => {
    const html = cleanHtml(
      '<p style="font-size:1px;color:#fff"><a href="https://e.example">x</a>',
      [],
    )
    expect(html).to.match(/<span dir="ltr" style="[^"]*font:400 13px[^"]*color:#17211e;[^"]*">/)
  })

  it('is refused when it grows too large', () => {
    expect(() => cleanHtml('<a href=http:e>x'.repeat(18_000), [])).to.throw('output too large')
  })

  for (const part of ['<div>', '<table><tr><td>', '<noscript>', '<a href=', '<!--']) {
    it(`ends soon for 300 000 characters of ${part}`, () => {
      const html = part.repeat(300_000 / part.length)
      expect(cleanHtml(html, []).length).to.be.lessThan(600_000)
    })
  }
})

describe('control characters (10)', () => {
  const titles: readonly (readonly [given: string, title: string])[] = [
    ['a\r\nBcc: x', 'a Bcc: x'],
    ['a\tb\u0000c\u001fd\u007fe', 'a b c d e'],
    ['a\u2028b\u2029c', 'a b c'],
    ['  a  ', 'a'],
    ['é ☃ 👍🏽', 'é ☃ 👍🏽'],
    ['x\ud800', 'x\ufffd'],
  ]
  for (const [given, title] of titles) {
    it(`become one space in the title ${JSON.stringify(given)}`, () => {
      expect(toTitle(given)).to.equal(title)
    })
  }

  it('cut no title that was accepted', () => {
    for (const title of ['x'.repeat(512), '👍'.repeat(512)]) expect(toTitle(title)).to.equal(title)
  })

  it('are removed from texts, but for line feeds and tabs', () => {
    expect(toBody('a\r\nb\tc\u0000\u0007\u001b[1m\u007f\u0085\u2028\u2029d\ud800')).to.equal(
      'a\nb\tc[1md\ufffd',
    )
  })

  it('are not what blanks of templates are: those collapse, lines stay (10.1)', () => {
    expect(collapseBlanks('  a \t b\u00a0 c \n\n   d  \n e\n')).to.equal('a b c\n\nd\ne')
  })

  it('are looked for in a time that grows with the text only', async () => {
    const long = `${' '.repeat(200_000)}x${'\n \t'.repeat(100_000)}x`
    expect(await cpuMs(() => void collapseBlanks(toBody(long)))).to.be.lessThan(scaledLimit(500))
  })
})

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

describe('parseTemplatePath (10.3)', () => {
  const accepted: readonly (readonly [reference: string, path: string])[] = [
    ['file:./notifications/x.tpl', 'notifications/x.tpl'],
    ['file:notifications/x.tpl', 'notifications/x.tpl'],
    ['file:./a/./b//c.liquid', 'a/b/c.liquid'],
    ['file:..name', '..name'],
    ['file:a%2f..%2fb', 'a%2f..%2fb'],
  ]
  for (const [reference, path] of accepted) {
    it(`reads ${reference}`, () => {
      expect(parseTemplatePath(reference)).to.equal(path)
    })
  }

  const refused: readonly string[] = [
    'file:/etc/passwd',
    'file:///etc/passwd',
    'file:../other/x.tpl',
    'file:./a/../../x.tpl',
    'file:a/..',
    'file:a\\..\\x.tpl',
    'file:a\u0000.tpl',
    'file:a\n.tpl',
    'file:',
    'file:./',
    'file:a/',
    'http://evil.example/x.tpl',
    'x.tpl',
    `file:${'a'.repeat(2000)}`,
    'file:a\ud800',
  ]
  for (const reference of refused) {
    it(`takes ${JSON.stringify(reference.slice(0, 40))} as missing`, () => {
      expect(parseTemplatePath(reference)).to.equal(undefined)
    })
  }
})

describe('referenceFor (10.3 "locale")', () => {
  const templates = { mail: 'bare', 'mail.fr': 'french', 'mail.pt-BR': 'brazilian', sms: 'text' }
  const cases: readonly (readonly [key: string, locale: string, found: string | undefined])[] = [
    ['mail', 'fr', 'french'],
    ['mail', 'fr-CA', 'french'],
    ['mail', 'FR', 'french'],
    ['mail', 'pt-BR', 'brazilian'],
    ['mail', 'pt', 'bare'],
    ['mail', 'en', 'bare'],
    ['sms', 'fr', 'text'],
    ['mobile', 'fr', undefined],
    ['toString', 'fr', undefined],
  ]
  for (const [key, locale, found] of cases) {
    it(`finds ${found ?? 'nothing'} for ${key} in ${locale}`, () => {
      expect(referenceFor(templates, key, locale)).to.equal(found)
    })
  }
})
