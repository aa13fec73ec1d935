import { axeFaults, takeShot } from '@svc/testkit'
import type { Page } from 'playwright-core'

/** A language, a width of the window in pixels, and the theme that is judged. */
export interface Look {
  readonly locale: 'de' | 'en' | 'es' | 'fr'
  readonly width: 360 | 1280
  readonly theme: 'dark' | 'light'
}

/** Each language and theme at a phone's and a computer's width; between them nothing else is looked at twice. */
export const LOOKS: readonly Look[] = [
  { locale: 'en', width: 1280, theme: 'light' },
  { locale: 'fr', width: 360, theme: 'dark' },
  { locale: 'de', width: 360, theme: 'light' },
  { locale: 'es', width: 1280, theme: 'dark' },
]

export interface Looking {
  /** Looks at what the page shows now; pictures in both themes go to `SVC_SHOTS`. */
  look(name: string): Promise<void>
  /** What axe found, and what is wider than the window. */
  readonly found: readonly string[]
}

/** Looks at the views that a page gets to. */
export function startLooking(page: Page, { locale, width, theme }: Look): Looking {
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
