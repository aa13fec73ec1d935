import { expect } from 'chai'
import { filled } from '../../src/drivers/browser.ts'
import { readPage } from '../../src/pages/html.ts'

const PAGE = `<title>Log in</title><form method="post" action="/in" data-salt="s">
<input type="hidden" name="csrf_token" value="a&amp;b"><input type="password" name="passphrase">
<input type="checkbox" name="on" checked><input type="checkbox" name="off">
<select name="span"><option value="1"><option value="2" selected></select>
<button name="go" value="1">Go</button></form>`

describe('a form', () => {
  it('sends what a browser would send', () => {
    const [form] = readPage(PAGE).forms
    if (form === undefined) throw new Error('no form')
    expect(form).to.include({ method: 'POST', action: '/in' })
    expect(form.attributes['data-salt']).to.equal('s')
    expect(filled(form, { passphrase: 'p' }).toString()).to.equal(
      'csrf_token=a%26b&passphrase=p&on=on&span=2',
    )
  })
})
