import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createAssets } from '../../src/assets.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

/** What the scripts under test export; they run in the page, where no import of ours reaches. */
interface Derive {
  derivePassphrase(passphrase: string, salt: string, iterations: number): Promise<string>
}
interface Strength {
  strengthBits(passphrase: string): number
  strengthOf(passphrase: string): string
  givesAway(hint: string, passphrase: string): boolean
}

describe('scripts of the pages, in a browser', function () {
  this.timeout(30_000)
  let server: SampleServer
  let browser: Browser
  let page: Page

  before(async function () {
    needsChromium(this)
    server = await sampleServer()
    browser = await launchChromium({ port: server.port, domains: [] })
    page = await browser.newPage()
    // A page that may load scripts, and has none that starts anything.
    await page.goto(`${server.origin}/activation`)
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  const vectors: readonly [passphrase: string, iterations: number, login: string][] = [
    ['correct horse battery staple', 650_000, 'uv5OA7us+O5w4DxqyQR0gN1ROKIbRruaqbuumkNzNGY='],
    ['correct horse battery staple', 50_000, 'I2XwfBpy0jmy1ZaG2NiejXnYAE5szlgYZubouBnUoU0='],
    ['pâssphräse €', 50_000, 'qIur5oawOIdz5iregy5asL2HkuJ8PgmShK9yhpNOHQs='],
  ]
  for (const [passphrase, iterations, login] of vectors) {
    it(`derives "${passphrase}" with ${iterations} iterations as login.md 3.1 says`, async () => {
      const derived = await page.evaluate(
        async ([url, typed, count]) => {
          const script = (await import(url)) as Derive
          return script.derivePassphrase(typed, 'me@alice.example.com', count)
        },
        [createAssets().url('derive.js'), passphrase, iterations] as const,
      )
      expect(derived).to.equal(login)
    })
  }

  const strengths: readonly [passphrase: string, bits: number, strength: string][] = [
    ['', 0, 'none'],
    ['secret', 28.2, 'weak'],
    ['aaaaaaaaaa', 47, 'weak'],
    ['1234567890', 33.2, 'weak'],
    ['Secret12', 47.6, 'weak'],
    ['Secret123', 53.6, 'moderate'],
    ['correct horse', 75.5, 'moderate'],
    ['correct horse bat', 98.7, 'moderate'],
    ['correct horse batt', 104.5, 'strong'],
    ['é€ß', 14.7, 'weak'],
    ['👍👍', 9.8, 'weak'],
  ]
  for (const [passphrase, bits, strength] of strengths) {
    it(`counts "${passphrase}" as ${strength}`, async () => {
      const counted = await page.evaluate(
        async ([url, typed]) => {
          const script = (await import(url)) as Strength
          return { bits: script.strengthBits(typed), strength: script.strengthOf(typed) }
        },
        [createAssets().url('strength.js'), passphrase] as const,
      )
      expect(counted.bits).to.be.closeTo(bits, 0.1)
      expect(counted.strength).to.equal(strength)
    })
  }

  const hints: readonly [hint: string, passphrase: string, givesAway: boolean][] = [
    ['', 'horse staple', false],
    ['the horse', 'horse staple', false],
    ['horse staple', 'horse staple', true],
    ['it is Horse Staple!', 'horse staple', true],
    ['anything', '', false],
  ]
  for (const [hint, passphrase, given] of hints) {
    it(`says ${given} for the reminder "${hint}"`, async () => {
      const result = await page.evaluate(
        async ([url, one, other]) => {
          const script = (await import(url)) as Strength
          return script.givesAway(one, other)
        },
        [createAssets().url('strength.js'), hint, passphrase] as const,
      )
      expect(result).to.equal(given)
    })
  }
})
