/** Bytes, or a number of KiB, MiB, GiB or TiB. */
export const SIZE_PATTERN = '^[0-9]{1,15}(B|KiB|MiB|GiB|TiB)?$'

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Bytes of a size such as `5GiB`; undefined: it is none, or more than can be counted. */
export function readSize(text: string): number | undefined {
  if (!new RegExp(SIZE_PATTERN).test(text)) return undefined
  const [, count = '', unit = 'B'] = /^([0-9]+)(.*)$/.exec(text) ?? []
  const power = UNITS.findIndex((each) => each === (unit === '' ? 'B' : unit))
  const bytes = Number(count) * 1024 ** power
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** A number of bytes for people, such as `1.5 GiB`. */
export function sizeInWords(bytes: number): string {
  let power = 0
  while (power < UNITS.length - 1 && bytes >= 1024 ** (power + 1)) power++
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1).replace(/\.0$/, '')} ${UNITS[power]}`
}
