import { axeFaults, isSecondLevel, takeShot } from '@svc/testkit'
import { expect } from 'chai'
import { it } from 'mocha'
import type { Browser, Page } from 'playwright-core'
import { type OwnerVisit, visitOwner } from './owner-visit.ts'
import type { TestHost } from './test-host.ts'

/** A language, a width of the window in pixels, and the theme that is judged. */
interface Look {
  readonly locale: 'de' | 'en' | 'es' | 'fr'
  readonly width: 360 | 1280
  readonly theme: 'dark' | 'light'
}

/** Each language and theme at a phone's and a computer's width; between them nothing else is looked at twice. */
const LOOKS: readonly Look[] = [
  { locale: 'en', width: 1280, theme: 'light' },
  { locale: 'fr', width: 360, theme: 'dark' },
  { locale: 'de', width: 360, theme: 'light' },
  { locale: 'es', width: 1280, theme: 'dark' },
]

interface Looking {
  /** Looks at what the page shows now; pictures in both themes go to `SVC_SHOTS`. */
  look(name: string): Promise<void>
  /** What axe found, and what is wider than the window. */
  readonly found: readonly string[]
}

/**
 * A test of each look: views of a new owner, which have nothing for axe to find and are not wider than the page.
 * @param phone - of the look beside the English one in the first level of tests
 */
export function eachLook(
  host: TestHost,
  browser: Browser,
  phone: 'de' | 'fr',
  views: (owner: OwnerVisit, look: Looking['look']) => Promise<void>,
): void {
  const areAll = isSecondLevel() || process.env['SVC_SHOTS'] !== undefined
  for (const each of LOOKS) {
    const { locale, width } = each
    if (!areAll && locale !== 'en' && locale !== phone) continue
    it(`has nothing for axe to find, and nothing wider than the page: ${locale}, ${width} px`, async () => {
      const owner = await visitOwner(host, browser, `look-${locale}-${width}.localhost`, {
        locale,
        look: { viewport: { width, height: 760 } },
      })
      const { look, found } = startLooking(owner.page, each)
      await views(owner, look)
      expect(found).to.deep.equal([])
      expect(owner.faults).to.deep.equal([])
      await owner.close()
    })
  }
}

/** Looks at the views that a page gets to. */
function startLooking(page: Page, { locale, width, theme }: Look): Looking {
  const found: string[] = []
  return {
    found,
    async look(name) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await takeShot(page, `app-${name}-${width}-${colorScheme}-${locale}`)
        // Every view in both themes in one language, and in one theme in each of the others.
        if (locale !== 'en' && colorScheme !== theme) continue
        // By then the colours of this theme at this width have been judged.
        const faults = await axeFaults(page, { withoutColours: locale === 'es' })
        found.push(...faults.map((fault) => `${name} ${colorScheme}: ${fault}`))
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      if (wide > width) found.push(`${name}: ${wide} px wide`)
    },
  }
}
