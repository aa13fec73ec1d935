import { parseAddress } from '@svc/platform'
import { expect } from 'chai'
import { toHeaderText } from '../../src/mail/mail-address.ts'

describe('parseAddress', () => {
  const accepted: [string, string][] = [
    ['alice@example.com', 'alice@example.com'],
    ['a.b+tag@mail.example.com', 'a.b+tag@mail.example.com'],
    ["o'neil@example.com", "o'neil@example.com"],
    ['alice@EXAMPLE.com', 'alice@example.com'],
    ['alice@bücher.example', 'alice@xn--bcher-kva.example'],
    ['alice@localhost', 'alice@localhost'],
  ]
  for (const [text, address] of accepted) {
    it(`reads ${text}`, () => {
      expect(parseAddress(text)).to.equal(address)
    })
  }

  const refused: [string, string][] = [
    ['', 'nothing'],
    ['alice', 'no domain'],
    ['@example.com', 'no local part'],
    ['alice@', 'an empty domain'],
    ['alice@@example.com', 'two at signs'],
    ['a@b@example.com', 'a second address'],
    ['alice@example.com, bob@example.com', 'a list'],
    ['alice@example.com;bob@example.com', 'a list by semicolon'],
    ['Alice <alice@example.com>', 'a name'],
    ['"alice@evil.example"@example.com', 'a quoted local part'],
    ['alice@example.com\r\nBcc: bob@example.com', 'a header'],
    ['alice@example.com\n', 'a line end'],
    ['alice(comment)@example.com', 'a comment'],
    ['alice@[127.0.0.1]', 'a literal'],
    ['alice@example.com/x', 'a path'],
    ['alice@exa mple.com', 'a space'],
    ['alice@example..com', 'an empty label'],
    ['alice@-example.com', 'a label starting with a hyphen'],
    ['.alice@example.com', 'a leading dot'],
    ['ali..ce@example.com', 'a double dot'],
    ['älice@example.com', 'a local part outside ASCII'],
    [`${'a'.repeat(65)}@example.com`, 'a local part of 65 characters'],
    [`alice@${'a'.repeat(250)}.com`, 'more than 254 characters'],
    ['alice@example.com\u0000', 'a NUL'],
  ]
  for (const [text, what] of refused) {
    it(`refuses ${what}`, () => {
      expect(parseAddress(text)).to.equal(undefined)
    })
  }
})

describe('toHeaderText', () => {
  const cases: [string, string, string][] = [
    ['line ends', 'Alice\r\nBcc: bob@example.com', 'Alice Bcc: bob@example.com'],
    ['tabs and NUL', 'a\tb\u0000c', 'a b c'],
    ['bidi overrides', 'a\u202eb\u2066c', 'a b c'],
    ['line separators', 'a\u2028b\u2029c', 'a b c'],
    ['lone surrogates', 'a\ud800', 'a\ufffd'],
    ['nothing of ordinary words', 'Ålice O’Neil', 'Ålice O’Neil'],
  ]
  for (const [what, text, expected] of cases) {
    it(`takes out ${what}`, () => {
      expect(toHeaderText(text)).to.equal(expected)
    })
  }

  it('cuts what is too long', () => {
    expect(toHeaderText('x'.repeat(300))).to.have.lengthOf(200)
  })
})
