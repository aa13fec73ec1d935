import { parsePage, textOf } from '@svc/testkit'
import { expect } from 'chai'
import type { RenderedMail } from '../../src/mail/templates.ts'

const ORIGIN = 'https://alice.example.com'

/** Words in the order of the alphabet, without marks that one form alone needs: they may stand in other places. */
export function wordsOf(content: string): string[] {
  return content
    .split(/\s+/)
    .filter((word) => !['', '--', '·', '-'].includes(word))
    .sort()
}

/** Words of the HTML form and `more`, without what it alone has: preheader, tile, how to do without the button. */
export function wordsOfHtml(
  html: string,
  fallback: string,
  more: readonly string[] = [],
): string[] {
  const page = parsePage(html, ORIGIN)
  const preheader = textOf(page.elements('div').slice(0, 1))
  // Only drawn, as on the pages.
  const isTile = ({ attrs }: { readonly attrs: readonly { readonly value: string }[] }): boolean =>
    attrs.some(({ value }) => value === 'tile')
  const tile = textOf(page.elements('td').filter(isTile))
  const words = [...wordsOf(page.text), ...more]
  for (const word of wordsOf(`${preheader} ${fallback} ${tile}`)) {
    words.splice(words.indexOf(word), 1)
  }
  return words.sort()
}

/** Words that strangers may write. */
export const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  [
    'mark-up',
    '<img src=x onerror=alert(1)></h1></p></td><script>alert(1)</script><a href="//evil.test">x',
  ],
  ['a template', '{{7*7}}{% include "/etc/passwd" %}{name} {limit, plural, other {#}} ${7*7}'],
  ['line ends', 'x\r\nBcc: eve@evil.test\r\n\r\n-- \r\nhttps://evil.test/'],
  ['other line ends', 'x\u2028y\u2029z\u0085w\vv\fu\u0000'],
  ['controls of direction', '\u202egnp.exe\u202c \u2066a\u2069 \u200f\u200e\u061c'],
  ['a link', 'You won! https://evil.test/now or evil.test/now or eve@evil.test'],
  ['a lone surrogate', 'x\ud800y'],
  ['10 000 letters', 'a'.repeat(10_000)],
  ['10 000 lines', 'a\n'.repeat(10_000)],
  ['words of right to left', 'עברית'],
]

/** Expects a mail with hostile words to be built as that with plain ones. */
export function expectHarmless(mail: RenderedMail, plain: RenderedMail): void {
  const [page, model] = [parsePage(mail.html, ORIGIN), parsePage(plain.html, ORIGIN)]
  expect(page.links.map(({ href }) => href)).to.deep.equal(model.links.map(({ href }) => href))
  for (const name of ['script', 'img', 'a', 'h1', 'h2', 'h3', 'style', 'title']) {
    expect(page.elements(name).length, name).to.equal(model.elements(name).length)
  }
  expect(mail.subject).to.not.match(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
  // The only line that begins a signature is ours.
  expect(mail.text.split('\n').filter((line) => line === '-- ')).to.have.lengthOf(1)
  const both = `${mail.html}${mail.text}`
  expect(both).to.not.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/)
  expect(both.isWellFormed()).to.equal(true)
}
