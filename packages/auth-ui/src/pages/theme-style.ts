import {
  type Colour,
  contrast,
  css,
  DARK_CARD,
  LIGHT_CARD,
  mix,
  parseColour,
  TEXT_CONTRAST,
  WHITE,
} from './colour.ts'
import type { Theme } from './theme.ts'

const INK: Colour = [10, 20, 18]
const STEPS = 20
const DARK_QUERY = '@media (prefers-color-scheme: dark)'

/**
 * The embedder's looks as a style sheet. The accent is readable on the light card; for the dark one it is lightened until
 * it is.
 *
 * @param tokens - the sheet of the properties; a page that is always light or always dark says them again
 * @param file - the embedder's own rules
 */
export function themeStyle(theme: Theme, tokens: string, file = ''): string {
  const light: string[] = []
  const dark: string[] = []
  if (theme.accent !== undefined) {
    const accent = parseColour(theme.accent)
    light.push(...accentProperties(accent, INK, LIGHT_CARD))
    dark.push(...accentProperties(lightened(accent), WHITE, DARK_CARD))
  }
  const always: string[] = []
  if (theme.radius !== undefined) {
    always.push(`--radius-control:${theme.radius}`, `--radius-card:calc(${theme.radius} * 1.6)`)
  }
  return `${schemeStyle(theme.scheme, { light, dark, always, tokens })}${file}`
}

interface Properties {
  readonly light: readonly string[]
  readonly dark: readonly string[]
  readonly always: readonly string[]
  readonly tokens: string
}

function schemeStyle(scheme: Theme['scheme'], { light, dark, always, tokens }: Properties): string {
  const inDark = (properties: readonly string[]): string =>
    `@media (prefers-color-scheme:dark){:root{${properties.join(';')}}}`
  if (scheme === 'dark') {
    const { darkOnes } = propertiesOf(tokens)
    return `:root{${['color-scheme:dark', ...darkOnes, ...dark, ...always].join(';')}}`
  }
  if (scheme === 'light') {
    const { lightOnes } = propertiesOf(tokens)
    const own = [...light, ...always]
    return `:root{${['color-scheme:light', ...own].join(';')}}${inDark([...lightOnes, ...own])}`
  }
  return `:root{${[...light, ...always].join(';')}}${inDark(dark)}`
}

/** What the sheet says for dark screens, and what it says of the same properties for others. */
function propertiesOf(tokens: string): {
  readonly lightOnes: readonly string[]
  readonly darkOnes: readonly string[]
} {
  const start = tokens.indexOf(DARK_QUERY)
  const everywhere = declarations(tokens.slice(0, start))
  const darkOnes = declarations(tokens.slice(start))
  return {
    darkOnes: [...darkOnes].map(([name, value]) => `${name}:${value}`),
    lightOnes: [...everywhere]
      .filter(([name]) => darkOnes.has(name))
      .map(([name, value]) => `${name}:${value}`),
  }
}

function declarations(sheet: string): ReadonlyMap<string, string> {
  return new Map(
    [...sheet.matchAll(/(--[a-z-]+):\s*([^;]+);/gu)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
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
