import type { Verdict } from '../model/check.ts'
import type { Exchange } from '../model/exchange.ts'
import type { Report } from '../run/options.ts'
import { countsOf } from './counts.ts'
import { escapeMarkup } from './escape.ts'

const ORDER = ['failed', 'error', 'inconclusive', 'warning', 'skipped', 'passed']
const LONGEST_BODY = 1200
const LONGEST_REASON = 600
/** Exchanges are shown for what did not pass. */
const MOST_EXCHANGES = 3
/** A page is opened from a mail or a build, also on a phone; bytes. */
const LARGEST_PAGE = 400_000

/** One page without outside requests, failures first; readable without script. At most 400 kB. */
export function htmlReport(report: Report): string {
  const sorted = report.verdicts.toSorted(
    (one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome),
  )
  const exchanges = new Map(report.recording.exchanges.map((one) => [one.label, one]))
  const bare = pageOf(
    report,
    sorted.map((verdict) => itemOf(verdict, '')),
  )
  let left = LARGEST_PAGE - Buffer.byteLength(bare)
  const items = sorted.map((verdict) => {
    const shown = exchangesOf(verdict, exchanges)
    const size = Buffer.byteLength(shown)
    if (size > left) return itemOf(verdict, '')
    left -= size
    return itemOf(verdict, shown)
  })
  return pageOf(report, items)
}

function pageOf(report: Report, items: readonly string[]): string {
  const { target, profile, catalogue, run, begun, ms, seed, verdicts } = report
  const counts = Object.entries(countsOf(verdicts)).filter(([, count]) => count > 0)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Contract: ${escapeMarkup(target)}</title><style>${STYLE}</style></head>
<body><header><h1>${escapeMarkup(target)}</h1>
<p>Profile ${escapeMarkup(profile)}, catalogue ${catalogue}, run ${run} of ${begun}, ${(ms / 1000).toFixed(1)} s, seed ${seed}</p>
<ul class="counts">${counts.map(([name, count]) => `<li class="${name}"><b>${count}</b> ${name}</li>`).join('')}</ul></header>
<main>${items.join('\n')}</main></body></html>
`
}

/** What a check looked at, where it did not pass. */
function exchangesOf(
  { outcome, exchanges: labels }: Verdict,
  exchanges: ReadonlyMap<string, Exchange>,
): string {
  if (outcome === 'passed' || outcome === 'skipped') return ''
  return labels
    .slice(0, MOST_EXCHANGES)
    .flatMap((label) => exchanges.get(label) ?? [])
    .map(exchangeOf)
    .join('')
}

function itemOf(verdict: Verdict, looked: string): string {
  const { id, title, outcome, level, reason, expected, rules, why, remedy } = verdict
  const told =
    reason === undefined ? '' : `<p class="reason">${escapeMarkup(cut(reason, LONGEST_REASON))}</p>`
  const known = expected === undefined ? '' : `<p>Expected: ${escapeMarkup(expected)}</p>`
  return `<details id="${id}"${outcome === 'failed' ? ' open' : ''}><summary class="${outcome}"><span>${id}</span> ${escapeMarkup(title)} <i>${outcome}, ${level}</i></summary>${told}${known}<p>${escapeMarkup(why)}</p><p>${escapeMarkup(remedy)}</p><p class="rules">${rules.map(escapeMarkup).join(' · ')}</p>${looked}</details>`
}

function exchangeOf({ label, request, answer, fault }: Exchange): string {
  const sent = [
    `${request.method} ${request.url}`,
    ...request.headers.map((header) => header.join(': ')),
    ...(request.body === undefined ? [] : ['', cut(request.body, LONGEST_BODY)]),
  ]
  const came =
    answer === undefined
      ? [fault ?? 'no answer']
      : [
          String(answer.status),
          ...answer.headers.map((header) => header.join(': ')),
          '',
          cut(answer.body, LONGEST_BODY),
        ]
  return `<h2>${escapeMarkup(label)}</h2><pre>${escapeMarkup(sent.join('\n'))}</pre><pre>${escapeMarkup(came.join('\n'))}</pre>`
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}

const STYLE = `:root{font:16px/1.5 system-ui,sans-serif;--ok:#1a7f37;--bad:#b42318;--mid:#8a5a00;--dim:#59636e;--line:#d1d9e0}
@media(prefers-color-scheme:dark){:root{--ok:#57c76f;--bad:#ff8a80;--mid:#e3b341;--dim:#9ba6b1;--line:#3d444d}}
body{max-width:60rem;margin:0 auto;padding:1rem}h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1rem;margin:1rem 0 0}
.counts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;padding:0;list-style:none}.counts b{font-size:1.4rem}
details{border-bottom:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}summary span{font-family:ui-monospace,monospace}
i{color:var(--dim);font-size:.85rem}.passed b,summary.passed span{color:var(--ok)}.failed b,.error b,summary.failed span,summary.error span,.reason{color:var(--bad)}
.warning b,.inconclusive b,summary.warning span,summary.inconclusive span{color:var(--mid)}.rules{color:var(--dim);font-size:.85rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:6px;padding:.5rem;font-size:.8rem}`
