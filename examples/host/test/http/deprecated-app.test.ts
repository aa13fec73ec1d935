import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { relyingParty } from '@svc/testkit'
import { expect } from 'chai'
import { testFolder, testHost } from '../support/for-test.ts'

/** Stores of other devices: `deprecated-apps.test.ts` of `@svc/oauth-core`. */
describe('an app of SVC_DEPRECATED_APPS_FILE', () => {
  it('leads to its store before anybody logs in', async () => {
    const softwareId = 'github.com/example/old-drive'
    const other = 'https://drive.example/get?from=old&to=new'
    const file = path.join(testFolder(), 'apps.json')
    writeFileSync(file, JSON.stringify([{ softwareId, name: 'Old Drive', storeUrls: { other } }]))
    const host = await testHost({ SVC_DEPRECATED_APPS_FILE: file })
    const party = relyingParty({ issuer: host.instance.origin, port: host.host.port })
    await party.register({ software_id: softwareId })
    const { url } = await party.authorize({ scope: 'io.svc.contacts:GET' })
    const browser = await host.browser(undefined, { anonymous: true })
    const answer = await browser.get(url)
    expect(answer.status).to.equal(200)
    expect(answer.page().links.map(({ href }) => href)).to.include(other)
  })
})
