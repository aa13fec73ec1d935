import { expect } from 'chai'
import { cleanHtml } from '../../../src/render/clean-html.ts'

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
