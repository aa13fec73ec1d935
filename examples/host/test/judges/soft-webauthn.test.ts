import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { deriveLoginValue } from '@svc/auth-ui'
import { afterTest, type BrowserClient, type BrowserResponse } from '@svc/testkit'
import { expect } from 'chai'
import { PYTHON, pythonJudge } from '../support/judge.ts'
import { startTestHost, type TestHost } from '../support/test-host.ts'

const SCRIPT = path.join(import.meta.dirname, '../python/passkey.py')
const JSON_ONLY = { headers: { accept: 'application/json' } }
const PASSPHRASE = 'correct horse battery staple'

describe('a passkey of soft-webauthn on the running host', function () {
  this.timeout(300_000)
  let host: TestHost
  let loginValue: string
  before(async () => {
    host = await startTestHost()
    const path = `/instances/${host.instance.domain}/reset-passphrase`
    await host.admin('POST', path, { passphrase: PASSPHRASE })
    loginValue = await deriveLoginValue(PASSPHRASE, 'me@alice', 650_000)
  })
  after(() => host?.stop())

  /** A device that answers the options of a page as a browser does, with JSON. */
  async function openDevice(kind: 'plain' | 'verifying') {
    const { folder } = await pythonJudge(
      ['soft-webauthn==0.1.4', 'fido2==1.2.0', 'cryptography==44.0.3'],
      [],
    )
    const child = spawn(PYTHON, [SCRIPT, kind], {
      env: { ...process.env, PYTHONPATH: folder },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    afterTest(() => child.kill())
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return async (options: object): Promise<string> => {
      child.stdin.write(`${JSON.stringify({ options, origin: host.instance.origin })}\n`)
      return String((await lines.next()).value)
    }
  }
  type Device = Awaited<ReturnType<typeof openDevice>>

  /** Adds it as the page does that offers one after a login. */
  async function add(device: Device): Promise<BrowserResponse> {
    const browser = await stranger()
    const login = (await browser.get('/auth/login')).page().form('/auth/login')
    expect((await browser.submit(login, { passphrase: loginValue })).status).to.equal(302)
    const page = (await browser.get('/auth/passkey/offer')).page()
    const credential = await device(JSON.parse(page.attribute('data-options') ?? '') as object)
    const fields = page.form('/auth/passkey').fields.filter(([name]) => name !== 'credential')
    return browser.post('/auth/passkey', [...fields, ['credential', credential]], JSON_ONLY)
  }

  async function logIn(device: Device, browser: BrowserClient): Promise<BrowserResponse> {
    const options = await browser.post('/auth/login/passkey/options', {}, JSON_ONLY)
    const credential = await device(options.json<object>())
    return browser.post('/auth/login/passkey', { credential }, JSON_ONLY)
  }
  const stranger = () => host.browser(undefined, { anonymous: true })

  it('is added, and logs its owner in', async () => {
    const device = await openDevice('verifying')
    const added = await add(device)
    expect(added.status, added.text).to.equal(200)
    const browser = await stranger()
    const answer = await logIn(device, browser)
    expect(answer.status, answer.text).to.equal(200)
    expect((await browser.get('/auth/login')).location).to.equal(`${host.app('home')}/#`)
  })

  it('is not taken when it does not tell who holds it', async () => {
    const answer = await add(await openDevice('plain'))
    expect(answer.status).to.equal(422)
    expect(answer.json()).to.include({ code: 'passkey_invalid' })
  })

  it('is not taken by another device with the same library', async () => {
    const device = await openDevice('verifying')
    await add(await openDevice('verifying'))
    await device({
      challenge: 'eA',
      rp: { id: host.instance.domain },
      user: { id: 'eA' },
      pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
    })
    const answer = await logIn(device, await stranger())
    expect(answer.status).to.equal(401)
    expect(answer.json()).to.include({ code: 'passkey_unknown' })
  })
})
