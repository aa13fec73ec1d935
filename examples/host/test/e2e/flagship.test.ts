import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { CLIENT_NAME, type ClientRequest, openRequest } from '../support/client-request.ts'
import { openClientSocket } from '../support/client-socket.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { suiteTour, TWO_PROCESSES } from '../support/tour-stage.ts'
import { type TourSteps, tourSteps } from '../support/tour-steps.ts'

const CODE = /\b\d{6}\b/
/** Beside the server, for every instance to install. */
const KONNECTOR = 'demo-bank'

interface Visit {
  readonly page: Page
  readonly steps: TourSteps
  readonly request: ClientRequest
}

describe(`a client that asks for everything: ${TWO_PROCESSES.name}`, function () {
  this.timeout(60_000)
  const tour = suiteTour(TWO_PROCESSES)
  let owner: TourOwner
  let count = 0

  beforeEach(async () => {
    count += 1
    owner = await tour.owner(`frank${count}`)
  })
  /** The owner, logged in, where a client that nobody certified has sent the browser. */
  async function reachCertify(): Promise<Visit> {
    const request = await openRequest(owner.origin, tour.port(), { scope: '*' })
    const page = await tour.visit()
    const steps = tourSteps(page, owner, tour.texts)
    await page.goto(request.url)
    await steps.givePassphrase()
    await isTitled(page, 'certify.title')
    return { page, steps, request }
  }

  async function isTitled(page: Page, key: string): Promise<void> {
    const name = tour.texts.ui(key, { name: CLIENT_NAME })
    await page.getByRole('heading', { name, exact: true }).waitFor()
  }

  async function giveCode({ page, steps }: Visit, code: string): Promise<void> {
    await page.getByLabel(tour.texts.ui('passcode.label'), { exact: true }).fill(code)
    await steps.button(tour.texts.ui('certify.submit')).click()
  }

  /** Certified by the mailed code, and allowed. */
  async function connect(): Promise<Visit & { readonly token: string; readonly next: string }> {
    const visit = await reachCertify()
    await giveCode(visit, await owner.mailed('confirm_flagship', CODE))
    await isTitled(visit.page, 'consent.title')
    await visit.steps.button(tour.texts.ui('consent.allow')).click()
    await visit.page.getByRole('heading', { name: 'Connected' }).waitFor()
    const { access_token: token, refresh_token: next = '' } = await visit.request.isAnswered()
    return { ...visit, token, next }
  }

  async function svc(...args: readonly string[]): Promise<void> {
    expect(await tour.svc(...args)).to.include({ code: 0, stderr: '' })
  }

  it('makes tokens for konnectors, which may do what the konnector may', async () => {
    await svc('konnector', 'install', owner.domain, KONNECTOR)
    const { page, request, token } = await connect()
    const made = await request.send(token, `/auth/tokens/konnectors/${KONNECTOR}`, {
      method: 'POST',
    })
    expect(made.status).to.equal(201)
    const konnectorToken = String(await made.json())
    const port = tour.port('elsewhere')
    expect(await request.call(konnectorToken, '/data/io.svc.bills', { port })).to.equal(200)
    expect(await request.call(konnectorToken, '/data/io.svc.files', { port })).to.equal(403)
    const there = { port, domain: owner.domain }
    const socket = await openClientSocket(there, konnectorToken, 'io.svc.bills')
    await svc('konnector', 'uninstall', owner.domain, KONNECTOR)
    await socket.isCut()
    await request.untilEnded(konnectorToken, '/data/io.svc.bills', { port })
    await page.context().close()
  })

  it('loses everything at once when the operator takes the certificate back', async () => {
    const { page, request, token, next } = await connect()
    const port = tour.port('elsewhere')
    const document = { method: 'PUT', json: { name: 'Bob' } }
    for (const path of ['/data/io.svc.contacts/bob', '/data/com.example.things/bob']) {
      expect(await request.call(token, path, document)).to.equal(201)
      expect(await request.call(token, path, { port })).to.equal(200)
    }
    const there = { port, domain: owner.domain }
    const socket = await openClientSocket(there, token, 'io.svc.contacts')
    await svc('client', 'certify', owner.domain, request.clientId, '--withdraw')
    await socket.isCut()
    await request.untilEnded(token, '/data/io.svc.contacts', { port })
    const refusal = await request.refresh(next).then(
      () => 'refreshed',
      ({ error }: { error?: string }) => error,
    )
    expect(refusal).to.equal('invalid_grant')
    expect(
      await request.call(token, '/auth/tokens/konnectors/demo-bank', { method: 'POST' }),
    ).to.equal(401)
    await request.ask('*')
    await page.goto(request.url)
    await isTitled(page, 'certify.title')
    await page.context().close()
  })

  it('is not asked for a code when the operator certified it', async () => {
    const visit = await reachCertify()
    await svc('client', 'certify', owner.domain, visit.request.clientId)
    await visit.page.reload()
    await isTitled(visit.page, 'consent.title')
    await visit.steps.button(tour.texts.ui('consent.allow')).click()
    expect(await visit.request.isAnswered()).to.include({ scope: '*' })
    await visit.page.context().close()
  })
})
