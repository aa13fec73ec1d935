import { encode } from 'uqr'

/** Cells around the code, as its standard asks. */
const QUIET_ZONE = 4

/** Rows from the top, `1` for a dark cell, with the light border a reader needs. */
export function qrRows(text: string): readonly string[] {
  const { data } = encode(text, { ecc: 'M', border: QUIET_ZONE })
  return data.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''))
}
