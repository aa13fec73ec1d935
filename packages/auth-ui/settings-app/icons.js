/** Paths of 24 by 24, drawn as lines. @type {Readonly<Record<string, string>>} */
const PATHS = {
  overview: 'M12 3 4 6v6c0 5 3.5 8 8 9 4.5-1 8-4 8-9V6l-8-3ZM8.5 12l2.5 2.5 4.5-5',
  profile: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 20.5c1-4 4-6 8-6s7 2 8 6',
  security: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.5v2.5',
  devices: 'M3 5h14v10H3zM1.5 19h11M16 10h6v10h-6z',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM17 13.5v7M13.5 17h7',
  notifications: 'M6 17v-6a6 6 0 0 1 12 0v6l1.5 1.5h-15L6 17ZM10 21.5h4',
  activity: 'M12 21a9 9 0 1 0-8.5-6M3 19v-4h4M12 7v5l3.5 2',
  home: 'M4 11.5 12 4l8 7.5M6 10v10h4.5v-6h3v6H18V10',
  back: 'M15 5l-7 7 7 7',
  computer: 'M4 5h16v11H4zM1.5 20h21',
  phone: 'M7 2.5h10v19H7zM11 18.5h2',
  ok: 'M4.5 12.5l5 5 10-11',
  advice: 'M12 4 2.5 20.5h19L12 4ZM12 10.5v4.5M12 17.7v.1',
  urgent: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7.5v6M12 16.4v.1',
}
const SVG = 'http://www.w3.org/2000/svg'

/**
 * A picture beside words, which say the same.
 *
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', PATHS[name] ?? '')
  for (const [key, value] of [
    ['class', 'icon'],
    ['width', '20'],
    ['height', '20'],
    ['viewBox', '0 0 24 24'],
    ['aria-hidden', 'true'],
  ]) {
    svg.setAttribute(key ?? '', value ?? '')
  }
  svg.append(path)
  return svg
}
