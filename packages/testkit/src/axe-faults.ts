import type { Page } from 'playwright-core'

export interface AxeOptions {
  /** Leaves contrast out, which takes the longest and depends on the theme alone. */
  readonly withoutColours?: boolean
  /** Contrast and nothing else. */
  readonly onlyColours?: boolean
}

/** What axe finds wrong on a page as it is now: one line for each element, empty when nothing is. */
export async function axeFaults(
  page: Page,
  { withoutColours = false, onlyColours = false }: AxeOptions = {},
): Promise<readonly string[]> {
  // Loaded when used: most suites have no browser.
  const { AxeBuilder } = await import('@axe-core/playwright')
  // "Legacy" runs in the page itself; the other mode opens a window more each time to put frames together, and none of
  // our pages has frames.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] })
  if (onlyColours) axe.withRules(['color-contrast'])
  if (withoutColours) axe.disableRules(['color-contrast'])
  const { violations } = await axe.analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
