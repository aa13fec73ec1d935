import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { type ClientRequest, openRequest } from '../support/client-request.ts'
import type { TourOwner } from '../support/tour-owner.ts'
import { openTour, ONE_PROCESS, type TourStage } from '../support/tour-stage.ts'

const OLD = {
  softwareId: 'github.com/example/old-drive',
  name: 'Old Drive',
  storeUrls: {
    android: 'market://details?id=org.example.drive&hl=en',
    iphone: 'itms-apps://apps.apple.com/app/id123456789',
    other: 'https://drive.example/get?from=old&to=new',
  },
}

/** What the device tells, and the store that it has. */
const DEVICES: readonly [name: string, userAgent: string, store: string][] = [
  [
    'an Android phone',
    'Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36',
    OLD.storeUrls.android,
  ],
  [
    'an iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
    OLD.storeUrls.iphone,
  ],
  [
    'an iPad that says so',
    'Mozilla/5.0 (iPad; CPU OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1',
    OLD.storeUrls.iphone,
  ],
  [
    'a computer',
    'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
    OLD.storeUrls.other,
  ],
]

for (const run of ONE_PROCESS) {
  describe(`an app that can no longer be connected: ${run.name}`, function () {
    this.timeout(60_000)
    let folder: string
    let tour: TourStage
    let owner: TourOwner
    let request: ClientRequest

    before(async function () {
      folder = await mkdtemp(path.join(tmpdir(), 'svc-deprecated-'))
      const file = path.join(folder, 'apps.json')
      await writeFile(file, JSON.stringify([OLD]))
      tour = await openTour(run, this, { SVC_DEPRECATED_APPS_FILE: file })
      owner = await tour.owner('rose')
      const { softwareId } = OLD
      request = await openRequest(owner.origin, tour.port(), { softwareId, name: 'Old' })
    })
    after(async () => {
      await request?.close()
      await tour?.close()
      await rm(folder, { recursive: true, force: true })
    })
    afterEach(() => {
      expect(tour.faults(), 'what went wrong in pages and hosts').to.deep.equal([])
    })

    for (const [name, userAgent, store] of DEVICES) {
      it(`leads ${name} to its store, before anybody logs in`, async () => {
        const { ui } = tour.texts
        const page = await tour.visit('elsewhere', { userAgent })
        const answer = await page.goto(request.url)
        expect(answer?.status()).to.equal(200)
        const heading = ui('deprecated.title', { name: OLD.name })
        await page.getByRole('heading', { name: heading, exact: true }).waitFor()
        const link = page.getByRole('main').getByRole('link', { name: ui('deprecated.store') })
        expect(await link.getAttribute('href')).to.equal(store)
        await page.getByText(ui('deprecated.kept'), { exact: true }).waitFor()
        await page.context().close()
      })
    }
  })
}
