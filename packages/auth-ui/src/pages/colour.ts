export type Colour = readonly [red: number, green: number, blue: number]

/** WCAG 2.2, text: 1.4.3. */
export const TEXT_CONTRAST = 4.5
export const LIGHT_CARD: Colour = [255, 255, 255]
export const DARK_CARD: Colour = [26, 33, 30]
export const WHITE: Colour = [255, 255, 255]

/** @param hex `#rgb` or `#rrggbb` */
export function parseColour(hex: string): Colour {
  const digits = hex.length === 4 ? hex.replace(/[0-9a-f]/giu, '$&$&') : hex
  const value = Number.parseInt(digits.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

export function mix(from: Colour, to: Colour, share: number): Colour {
  const at = (index: 0 | 1 | 2): number => Math.round(from[index] * (1 - share) + to[index] * share)
  return [at(0), at(1), at(2)]
}

export function css(colour: Colour): string {
  return `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** WCAG 2.2 contrast ratio. */
export function contrast(one: Colour, other: Colour): number {
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
