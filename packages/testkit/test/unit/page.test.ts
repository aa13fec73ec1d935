import { expect } from 'chai'
import { parsePage } from '../../src/index.ts'

const URL_OF_PAGE = 'https://alice.example.com/auth/login?redirect=%2F'

describe('parsePage', () => {
  it('reads the fields a form would send, decoded', () => {
    const page = parsePage(
      `<title>Log&nbsp;in</title><form action="/auth/login" method="post">
         <input type=hidden name=csrf_token value="a&quot;&lt;b">
         <input type=hidden name=empty>
         <input type=password name=passphrase>
         <input type=checkbox name=long-run-session value=1 checked>
         <input type=checkbox name=unchecked value=1>
         <input name=off value=x disabled>
         <select name=ttl><option value=1>1 day<option value=7 selected>7 days</select>
         <textarea name=note>two  words</textarea>
         <button name=go value=yes>Log <b>in</b></button>
       </form>`,
      URL_OF_PAGE,
    )
    const form = page.form('/auth/login')
    expect(form.action).to.equal('https://alice.example.com/auth/login')
    expect(form.method).to.equal('POST')
    expect(form.fields).to.deep.equal([
      ['csrf_token', 'a"<b'],
      ['empty', ''],
      ['passphrase', ''],
      ['long-run-session', '1'],
      ['ttl', '7'],
      ['note', 'two  words'],
    ])
    expect(form.buttons).to.deep.equal([
      { text: 'Log in', name: 'go', value: 'yes', action: 'https://alice.example.com/auth/login' },
    ])
    expect(form.inputs).to.deep.equal([
      'passphrase',
      'long-run-session',
      'unchecked',
      'ttl',
      'note',
    ])
  })

  it('shows the words, not the scripts', () => {
    const page = parsePage(
      '<body><h1>Hello</h1><p>a<b>b</b>\n c</p><script>no()</script><noscript>plain</noscript>',
      URL_OF_PAGE,
    )
    expect(page.text).to.equal('Hello ab c plain')
  })

  it('names the forms there are when the wanted one is missing', () => {
    const page = parsePage('<form action="/other"></form>', URL_OF_PAGE)
    expect(() => page.form('/auth/login')).to.throw('https://alice.example.com/other')
  })
})
