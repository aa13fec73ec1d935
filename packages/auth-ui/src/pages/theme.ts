import { list, object, type Option, text } from '@svc/platform/options'
import type { Theme } from './page-renderer.ts'

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/iu
const LENGTH = /^(?:0|\d{1,3}(?:\.\d{1,3})?(?:px|rem|em))$/u
const LOCAL_PATH = /^\/(?!\/)[\w./-]{1,500}$/u
/** WCAG 2.2, text: 1.4.3. */
const TEXT_CONTRAST = 4.5
const LIGHT_CARD: Colour = [255, 255, 255]
const DARK_CARD: Colour = [26, 33, 30]
const WHITE: Colour = [255, 255, 255]
const INK: Colour = [10, 20, 18]
const STEPS = 20

type Colour = readonly [red: number, green: number, blue: number]

/**
 * The option `theme`. An accent that nobody can read on the light card ends the start. Paths lead into the instance
 * (links may be web addresses, too), so that nothing of a page comes from another origin.
 */
export function themeOption(): Option<Theme> {
  const link = object({
    label: text('a text'),
    href: text(
      'a web address or a path of the instance',
      (href) => /^https?:\/\//u.test(href) || LOCAL_PATH.test(href),
    ),
  })
  return object({
    name: text('a text').optional(),
    logoPath: text('a path of the instance', { pattern: LOCAL_PATH.source }).optional(),
    accent: text('#rgb or #rrggbb', (accent) => HEX.test(accent))
      .that((accent) =>
        contrast(parseColour(accent), LIGHT_CARD) < TEXT_CONTRAST
          ? 'is too light to be read on white (4.5:1)'
          : undefined,
      )
      .optional(),
    radius: text('a CSS length such as 8px', { pattern: LENGTH.source }).optional(),
    links: list(link, 20).optional(),
  })
}

/**
 * The embedder's looks as a style sheet. The accent is readable on the light card; for the dark one it is lightened until
 * it is.
 */
export function themeStyle(theme: Theme): string {
  const light: string[] = []
  const dark: string[] = []
  if (theme.accent !== undefined) {
    const accent = parseColour(theme.accent)
    light.push(...accentProperties(accent, INK, LIGHT_CARD))
    dark.push(...accentProperties(lightened(accent), WHITE, DARK_CARD))
  }
  if (theme.radius !== undefined) {
    light.push(`--radius-control:${theme.radius}`, `--radius-card:calc(${theme.radius} * 1.6)`)
  }
  return (
    `:root{${light.join(';')}}` + `@media (prefers-color-scheme:dark){:root{${dark.join(';')}}}`
  )
}

function accentProperties(accent: Colour, towards: Colour, card: Colour): readonly string[] {
  const ink = contrast(accent, WHITE) >= TEXT_CONTRAST ? WHITE : INK
  return [
    `--color-accent:${css(accent)}`,
    `--color-accent-hover:${css(mix(accent, towards, 0.25))}`,
    `--color-accent-soft:${css(mix(accent, card, 0.86))}`,
    `--color-on-accent:${css(ink)}`,
  ]
}

function lightened(accent: Colour): Colour {
  for (let step = 0; step < STEPS; step += 1) {
    const colour = mix(accent, WHITE, step / STEPS)
    if (contrast(colour, DARK_CARD) >= TEXT_CONTRAST + 2) return colour
  }
  return WHITE
}

function parseColour(hex: string): Colour {
  const digits = hex.length === 4 ? hex.replace(/[0-9a-f]/giu, '$&$&') : hex
  const value = Number.parseInt(digits.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const at = (index: 0 | 1 | 2): number => Math.round(from[index] * (1 - share) + to[index] * share)
  return [at(0), at(1), at(2)]
}

function css(colour: Colour): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** WCAG 2.2 contrast ratio. */
function contrast(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
