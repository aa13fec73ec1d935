/**
 * Draws the rows of a QR code, `0` and `1`, as one path: dark on white in both themes, so that every camera reads it.
 * The rows hold the light border that readers need.
 */

const SVG = 'http://www.w3.org/2000/svg'

/**
 * @param {readonly string[]} rows
 * @param {string} label
 */
export function drawQr(rows, label) {
  const size = rows.length
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`)
  svg.setAttribute('class', 'qr')
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', label)
  svg.setAttribute('shape-rendering', 'crispEdges')
  svg.append(
    shape('rect', { width: `${size}`, height: `${size}`, fill: '#fff' }),
    shape('path', { d: rows.map(lineOf).join(''), fill: '#000' }),
  )
  return svg
}

/** Runs of dark modules of a row. @param {string} row @param {number} y */
function lineOf(row, y) {
  const runs = [...row.matchAll(/1+/gu)]
  return runs.map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`).join('')
}

/** @param {'rect' | 'path'} name @param {Record<string, string>} attributes */
function shape(name, attributes) {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}
