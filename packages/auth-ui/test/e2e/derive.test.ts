import { launchChromium, needsChromium } from '@svc/testkit'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { createAssets } from '../../src/pages/assets.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

/** What the scripts under test export; they run in the page, where no import of ours reaches. */
interface Derive {
  derivePassphrase(passphrase: string, salt: string, iterations: number): Promise<string>
}
interface Strength {
  strengthBits(passphrase: string): number
  judgeStrength(about: readonly string[]): {
    load(): Promise<void>
    of(passphrase: string): { level: string }
  }
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

  /** By characters alone, as the interface counts them; and with what is known of passphrases. */
  const strengths: readonly [
    passphrase: string,
    bits: number,
    byCharacters: string,
    judged: string,
  ][] = [
    ['', 0, 'none', 'none'],
    ['secret', 28.2, 'weak', 'weak'],
    ['aaaaaaaaaa', 47, 'weak', 'weak'],
    ['1234567890', 33.2, 'weak', 'weak'],
    ['Secret12', 47.6, 'weak', 'weak'],
    ['Secret123', 53.6, 'moderate', 'weak'],
    ['zebra lantern', 75.5, 'moderate', 'weak'],
    ['zebra lantern qua', 98.7, 'moderate', 'moderate'],
    ['zebra lantern quar', 104.5, 'strong', 'moderate'],
    ['é€ß', 14.7, 'weak', 'weak'],
    ['👍👍', 9.8, 'weak', 'weak'],
  ]
  for (const [passphrase, bits, byCharacters, judged] of strengths) {
    it(`counts "${passphrase}" as ${byCharacters}, and judges it as ${judged}`, async () => {
      const counted = await page.evaluate(
        async ([url, typed]) => {
          const script = (await import(url)) as Strength
          const judge = script.judgeStrength([])
          const before = judge.of(typed).level
          await judge.load()
          return { bits: script.strengthBits(typed), before, after: judge.of(typed).level }
        },
        [createAssets().url('strength.js'), passphrase] as const,
      )
      expect(counted.bits).to.be.closeTo(bits, 0.1)
      expect([counted.before, counted.after]).to.deep.equal([byCharacters, judged])
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
