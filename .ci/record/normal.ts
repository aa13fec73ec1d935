import { htmlLines } from '../../packages/testkit/src/html-lines.ts'

/** Names of months in the languages of pages and mails, long and short. */
const MONTHS = ['en', 'fr', 'de', 'es']
  .flatMap((locale) =>
    (['long', 'short'] as const).flatMap((month) =>
      Array.from({ length: 12 }, (_, at) =>
        new Date(Date.UTC(2000, at)).toLocaleDateString(locale, { month, timeZone: 'UTC' }),
      ),
    ),
  )
  .toSorted((one, other) => other.length - one.length)
  .map((name) => name.replaceAll('.', String.raw`\.`))
  .join('|')

/** Of files that pages load. */
const VERSION = [/(?<=\/auth\/assets\/)[^/"' ]+/g, '<version>'] as const

/** What differs from run to run, and what stands for it, in this order. */
const REPLACED: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\beyJ[\w-]{10,}\.[\w-]*\.[\w-]*/g, '<jwt>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/g, '<time>'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} [\d:]{8} GMT\b/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [new RegExp(String.raw`\b(?:${MONTHS}) \d{1,2}(?:, \d{4})?(?!\w)`, 'g'), '<day>'],
  [
    new RegExp(String.raw`\b\d{1,2}\.? (?:de )?(?:${MONTHS})(?:(?: de)? \d{4})?(?!\w)`, 'g'),
    '<day>',
  ],
  [/\b\d{1,2}:\d\d(?::\d\d)?(?:\s[AP]M)?\b(?!\.\d)/g, '<clock>'],
  [/\b[\d.,]+ [KMGT]iB\b/g, '<size>'],
  [/'nonce-[^']+'/g, "'nonce-<nonce>'"],
  [
    /(?<=(?:127\.0\.0\.1|\[::1\]|localhost|\.example(?:\.\w+)?)(?::|%(?:25)*3A))\d{2,5}\b/g,
    '<port>',
  ],
  VERSION,
  [/\/tmp\/[\w./-]+/g, '<path>'],
  [/\b[A-Z2-7]{32}\b/g, '<base32>'],
  [/(?<![0-9a-z]|max-age=)[0-9a-f]{8,}(?![0-9a-z])/gi, '<hex>'],
  // Mailed codes; longer numbers with a meaning are limits.
  [/(?<![\w.-]|max-age=)\d{6}(?![\w-])/gi, '<number>'],
]
/** Numbers of these are times, places of the machine, or depend on how fast something was. */
const PASSING =
  /(?:_in|_at|_ms|Ms|At|seconds|Seconds|remaining|iat|exp|nbf|bytes|Bytes|used|bounded|before|after|pid|port)$/
/** Texts of these are chosen at random, or by the machine. */
const RANDOM = /^(?:_?rev|passphrase|hostname|codes|recovery_codes)$/
/** Headers that say nothing of the answer: how the connection goes on, and lengths of what is replaced. */
const UNRECORDED = new Set(['connection', 'content-length', 'date', 'keep-alive'])

export function replaceVarying(text: string): string {
  return (
    REPLACED.reduce((all, [pattern, name]) => all.replaceAll(pattern, name), text)
      .replaceAll(/[\w+/-]{40,}={0,2}/g, (found) => (/[+/=]/.test(found) ? orRandom(found) : found))
      .replaceAll(/[\w-]{16,}/g, orRandom)
      // Sealed values begin with the name of their key; a tile's colour follows from what it stands for.
      .replaceAll(/\b\w{1,4}\.<random>/g, '<random>')
      .replaceAll(/\btile--\d/g, 'tile--<n>')
      .replaceAll(/(?<=Contract check <hex> )\d+/g, '<n>')
  )
}

/** In a page of samples nothing else varies. */
export function replaceVersions(text: string): string {
  return text.replaceAll(...VERSION)
}

/** Random texts in base64 mix small letters, capitals and digits; names of several words do it less. */
function orRandom(text: string): string {
  const hasAll = [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(text))
  const changes = text.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0
  return hasAll || changes > text.length / 4 ? '<random>' : text
}

/** An HTML page, one element or text a line. @param replace - what differs from run to run in it */
export function normalPage(source: string, replace = replaceVarying): string {
  return htmlLines(source, (name, value) =>
    /csrf|nonce/.test(name) ? '<random>' : replace(value),
  ).join('\n')
}

/** Lines `name: value`, sorted; of cookies what is set, without the value. */
export function normalHeaders(head: string): string[] {
  const lines = head.split('\r\n').slice(1)
  return lines
    .flatMap((line) => {
      const at = line.indexOf(':')
      const name = line.slice(0, at).toLowerCase()
      const value = line.slice(at + 1).trim()
      if (at < 1 || UNRECORDED.has(name)) return []
      return [`${name}: ${normalHeader(name, value)}`]
    })
    .toSorted()
}

function normalHeader(name: string, value: string): string {
  if (name === 'etag') return '<etag>'
  if (name === 'set-cookie') {
    const [pair = '', ...rest] = value.split('; ')
    const cookie = pair.slice(0, pair.indexOf('='))
    const isGone = pair.endsWith('=')
    return replaceVarying([`${cookie}=${isGone ? '' : '<value>'}`, ...rest].join('; '))
  }
  if (name === 'retry-after' || name.startsWith('ratelimit')) return value.replaceAll(/\d+/g, '<n>')
  return replaceVarying(value)
}

export function normalBody(type: string, body: string): string {
  if (body === '') return ''
  if (type.includes('json')) {
    try {
      return JSON.stringify(normalJson(JSON.parse(body), ''), undefined, 1)
    } catch {
      return replaceVarying(body)
    }
  }
  if (type.startsWith('text/html')) return normalPage(body)
  // Scripts and styles are files of the repository.
  if (!/^text\/(?:plain|event-stream|markdown)/.test(type)) return '<content>'
  // Figures of a server: which ones there are.
  const described = body.split('\n').filter((line) => /^# (?:HELP|TYPE) /.test(line))
  return described.length > 0 ? described.join('\n') : replaceVarying(body)
}

/** A list that may be in the order of ids that were chosen at random has no order. */
function inOrder(list: readonly unknown[]): readonly unknown[] {
  const texts = list.map((each) => JSON.stringify(each))
  if (!texts.some((text) => /"_?id":"<\w+>"/.test(text))) return list
  return texts.toSorted().map((text): unknown => JSON.parse(text))
}

/** Members by name: their order is no part of an answer. */
function normalJson(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return inOrder(value.map((each) => normalJson(each, name)))
  if (typeof value === 'string') return RANDOM.test(name) ? '<random>' : replaceVarying(value)
  if (typeof value === 'number') {
    const isLarge = Math.abs(value) > 99_999 && !/iterations$/i.test(name)
    return PASSING.test(name) || isLarge ? '<number>' : value
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(
    ([key, each]) => [replaceVarying(key), normalJson(each, key)] as const,
  )
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
