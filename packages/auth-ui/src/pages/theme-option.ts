import { isAbsolute } from 'node:path'
import type { Client } from '@svc/oauth-core'
import { type Instance, isLinkTarget, isLocalPath } from '@svc/platform'
import { either, func, list, object, oneOf, type Option, text } from '@svc/platform/options'
import { contrast, LIGHT_CARD, parseColour, TEXT_CONTRAST } from './colour.ts'
import type { Theme } from './theme.ts'
import { styleFileFault } from './theme-file.ts'

/**
 * The looks of an instance; on pages about a client also of that. Asked for each page: it answers at once and has no
 * side effects; undefined: the looks of the package. When it throws, or answers no {@link Theme}, the page has the looks of the package, and
 * `theme.failed` is logged.
 */
export type ThemeOf = (instance: Instance, client?: Client) => Theme | undefined

/** One theme for all, or one for each instance. */
export type ThemeOption = Theme | ThemeOf

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/iu
const LENGTH = /^(?:0|\d{1,3}(?:\.\d{1,3})?(?:px|rem|em))$/u

/** The option `theme`. */
export function themeOption(): Option<ThemeOption> {
  return either(themeValues(), func<ThemeOf>())
}

/**
 * One theme. An accent that nobody can read on the light card is a fault. Paths lead into the instance (links may be web
 * addresses, too), so that nothing of a page comes from another origin.
 */
export function themeValues(): Option<Theme> {
  const link = object({
    label: text('a text'),
    href: text('a web address or a path of the instance', isLinkTarget),
  })
  return object({
    name: text('a text').optional(),
    logoPath: text('a path of the instance', isLocalPath).optional(),
    accent: text('#rgb or #rrggbb', (accent) => HEX.test(accent))
      .that((accent) =>
        contrast(parseColour(accent), LIGHT_CARD) < TEXT_CONTRAST
          ? 'is too light to be read on white (4.5:1)'
          : undefined,
      )
      .optional(),
    radius: text('a CSS length such as 8px', { pattern: LENGTH.source }).optional(),
    scheme: oneOf(['auto', 'light', 'dark']).optional('`auto`'),
    cssFile: text('an absolute path', isAbsolute).that(styleFileFault).optional(),
    links: list(link, 20).optional(),
  })
}
