import { EXIT, exitCodeOf, mustsOf } from './counts.ts'
import type { Report } from '../run/options.ts'

const LETTER = 6.6

/** One line for a README, as a picture. */
export function badgeSvg(report: Report): string {
  const { label, message, color } = badgeOf(report)
  const left = Math.round(label.length * LETTER) + 14
  const right = Math.round(message.length * LETTER) + 14
  const fill = color === 'green' ? '#1a7f37' : '#b42318'
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${message}"><title>${label}: ${message}</title><rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${fill}"/><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${label}</text><text x="${left + right / 2}" y="14">${message}</text></g></svg>\n`
}

/** The same for services that draw badges. */
export function badgeJson(report: Report): string {
  return `${JSON.stringify({ schemaVersion: 1, ...badgeOf(report) })}\n`
}

function badgeOf(report: Report): { label: string; message: string; color: 'green' | 'red' } {
  const { passed, all } = mustsOf(report.verdicts)
  return {
    label: `contract ${report.profile} ${report.catalogue}`,
    message: `${passed}/${all} must`,
    color: passed === all && all > 0 && exitCodeOf(report) === EXIT.passed ? 'green' : 'red',
  }
}
