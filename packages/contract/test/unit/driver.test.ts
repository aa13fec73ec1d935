import path from 'node:path'
import { expect } from 'chai'
import { Browser } from '../../src/drivers/browser.ts'
import { resolverRules } from '../../src/drivers/chromium-driver.ts'
import type { Driver } from '../../src/drivers/driver.ts'
import { HttpDriver } from '../../src/drivers/http-driver.ts'
import { openDriver } from '../../src/drivers/open-driver.ts'
import { Budget } from '../../src/net/budget.ts'
import { Secrets } from '../../src/net/secrets.ts'
import { Wire } from '../../src/net/wire.ts'
import { profileOf } from '../support/reports.ts'

const PROGRAM = path.resolve(import.meta.dirname, '../support/driver-process.ts')
const base = new URL('https://alice.example.org/')

describe('what acts for the owner', () => {
  const wire = new Wire({ budget: new Budget(), concurrency: 1 })
  const secrets = new Secrets()
  const profile = profileOf('svc')
  const pages = new HttpDriver({ base, profile, secrets })
  let driver: Driver | undefined
  afterEach(() => driver?.close())
  after(() => wire.close())

  function open(text: string): Promise<Driver> {
    return openDriver(text, { base, passphrase: 'the passphrase', wire, pages, environment: {} })
  }

  it('may be a program, which is asked one line each', async () => {
    driver = await open(`command:${process.execPath} ${PROGRAM}`)
    const browser = new Browser(wire)
    await driver.login('owner', browser)
    expect(await browser.jar.getCookieString(base.href)).to.equal('sessid=the passphrase')
    const url = 'https://alice.example.org/auth/authorize?x=1'
    expect(await driver.consent('tok.ask', browser, url, 'accept')).to.deep.equal({
      location: `https://client.contract.example/callback?code=${url.length}`,
    })
    expect(await driver.appToken('owner.app', browser, 'home')).to.equal('token of the page')
    const error = await driver.confirm('cnf', browser, url).catch((one: unknown) => one)
    expect(String(error)).to.include('cnf.confirm: there is no page that confirms')
    // What the server answered is not known: no check may pass by it.
    expect(wire.exchanges.map(({ label }) => label)).to.deep.equal([
      'owner.submit',
      'tok.ask.submit',
      'owner.app',
      'cnf.confirm',
    ])
    expect(wire.exchanges.every(({ answer }) => answer === undefined)).to.equal(true)
  })

  it('says when the program ends', async () => {
    driver = await open('command:true')
    const error = await driver
      .appToken('owner.app', new Browser(wire), 'home')
      .catch((one: unknown) => one)
    expect(String(error)).to.include('the program of --driver ended')
  })

  for (const text of ['command:', 'firefox', '']) {
    it(`is not "${text}"`, async () => {
      const error = await open(text).catch((one: unknown) => one)
      expect(String(error)).to.include('write http, chromium or command:<program>')
    })
  }

  it('shows a page that stops it without its secrets', () => {
    secrets.learn('passphrase', 'the passphrase')
    const page =
      '<title>Wait</title><p>the passphrase</p><input type="hidden" name="csrf_token" value="secret-of-the-page">'
    const { message } = pages.stopAt('owner', 'a page has no form', page)
    expect(message).to.include('owner: a page has no form, page "Wait"')
    expect(message).to.include('<p><passphrase 1></p>').and.include('value="<csrf_token 1>"')
    expect(message).to.not.include('secret-of-the-page')
    const long = `${' '.repeat(3990)}the passphrase`
    expect(pages.stopAt('owner', 'a page has no form', long).message).to.not.include('the pass')
  })
})

describe('names that Chromium resolves', () => {
  it('are those of --connect-to, and clients are nowhere', () => {
    const rules = resolverRules([
      { host: '', port: '80', toHost: '127.0.0.1', toPort: '8080' },
      { host: 'a.example', port: '', toHost: '', toPort: '81' },
    ])
    expect(rules).to.deep.equal([
      'MAP *.contract.example ~NOTFOUND',
      'MAP *:80 127.0.0.1:8080',
      'MAP a.example a.example:81',
    ])
  })
})
