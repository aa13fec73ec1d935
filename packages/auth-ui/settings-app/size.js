const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/**
 * Bytes in words, in steps of 1 024: `1.5 GB`.
 *
 * @param {number} bytes
 */
export function sizeInWords(bytes) {
  let step = 0
  let value = bytes
  while (value >= 1024 && step < UNITS.length - 1) {
    value /= 1024
    step += 1
  }
  return new Intl.NumberFormat(document.documentElement.lang, {
    style: 'unit',
    unit: UNITS[step] ?? 'byte',
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value)
}
