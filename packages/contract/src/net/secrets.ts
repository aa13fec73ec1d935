import type { SecretFacts } from '../model/exchange.ts'

const SHORTEST = 6
const PAIR = 0x1_0000
const PLAIN = /^[A-Za-z0-9_-]+$/

/** Knows every secret of a run, and replaces it in all that is shown. */
export class Secrets {
  /** Each form of a secret, with what it is replaced by. */
  readonly #names = new Map<string, string>()
  readonly #byHead = new Map<number, readonly string[]>()
  /** Pairs of characters that a secret begins with: nearly every place of a text is passed over by them. */
  readonly #firsts = new Set<number>()
  readonly #facts = new Map<string, SecretFacts>()
  readonly #counts = new Map<string, number>()

  /** Names a secret, once. Values that are too short to be told from other text stay as they are. */
  learn(kind: string, value: string | undefined): void {
    if (value === undefined || value.length < SHORTEST || this.#names.has(value)) return
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const name = `<${kind} ${count}>`
    const jwt = readJwt(value)
    this.#facts.set(name, {
      kind,
      length: value.length,
      isPlain: PLAIN.test(value),
      ...(jwt !== undefined && { jwt }),
    })
    for (const form of formsOf(value)) if (!this.#names.has(form)) this.#add(form, name)
  }

  /** The text without any secret. */
  redact(text: string): string {
    const shown: string[] = []
    let from = 0
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      const form = this.#formAt(text, at)
      if (form === undefined) continue
      shown.push(text.slice(from, at), this.#names.get(form) ?? '')
      from = at + form.length
      at = from - 1
    }
    return shown.length === 0 ? text : `${shown.join('')}${text.slice(from)}`
  }

  /** The same value with every secret in its texts replaced. */
  redactAll<T>(value: T): T {
    // What a secret is replaced by needs no escaping, so the text stays JSON of the same shape.
    return JSON.parse(this.redact(JSON.stringify(value))) as T
  }

  get facts(): Readonly<Record<string, SecretFacts>> {
    return Object.fromEntries(this.#facts)
  }

  /** Longest first: a secret may begin as another one does. */
  #formAt(text: string, at: number): string | undefined {
    if (!this.#firsts.has(text.charCodeAt(at) * PAIR + text.charCodeAt(at + 1))) return undefined
    const forms = this.#byHead.get(headOf(text, at))
    return forms?.find((form) => text.startsWith(form, at) && isWhole(text, at, form))
  }

  #add(form: string, name: string): void {
    this.#names.set(form, name)
    this.#firsts.add(form.charCodeAt(0) * PAIR + form.charCodeAt(1))
    const head = headOf(form, 0)
    const alike = [...(this.#byHead.get(head) ?? []), form]
    this.#byHead.set(
      head,
      alike.toSorted((one, other) => other.length - one.length),
    )
  }
}

/** Three characters as a number: no text is made for each place that is looked at. */
function headOf(text: string, at: number): number {
  return (text.charCodeAt(at) * PAIR + text.charCodeAt(at + 1)) * PAIR + text.charCodeAt(at + 2)
}

/** A passcode may stand by chance in a longer number, or be a number itself. */
function isWhole(text: string, at: number, form: string): boolean {
  if (!/^\d+$/.test(form)) return true
  return !/[\d:,[]/.test(text[at - 1] ?? '') && !/\d/.test(text[at + form.length] ?? '')
}

/** As it stands in a URL, in JSON and in HTML. */
function formsOf(value: string): ReadonlySet<string> {
  const escaped = value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
  return new Set([
    value,
    encodeURIComponent(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
    escaped,
    escaped.replaceAll('&quot;', '&#34;').replaceAll("'", '&#39;'),
  ])
}

function readJwt(value: string): SecretFacts['jwt'] {
  const [header, claims, signature, ...rest] = value.split('.')
  if (header === undefined || claims === undefined || signature === undefined) return undefined
  if (rest.length > 0) return undefined
  try {
    return { header: decode(header), claims: decode(claims) }
  } catch {
    return undefined
  }
}

function decode(part: string): Record<string, unknown> {
  // A JWT that is not made of JSON objects throws above.
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
}
