import type { SecretFacts } from '../model/exchange.ts'

const SHORTEST = 6
const PLAIN = /^[A-Za-z0-9_-]+$/

/** Knows every secret of a run, and replaces it in all that is shown. */
export class Secrets {
  readonly #names = new Map<string, string>()
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
    for (const form of formsOf(value)) this.#names.set(form, name)
  }

  /** The text without any secret. */
  redact(text: string): string {
    let shown = text
    for (const [secret, name] of this.#sorted()) {
      if (shown.includes(secret)) shown = shown.replaceAll(secret, name)
    }
    return shown
  }

  /** The same value with every secret in its texts replaced. */
  redactAll<T>(value: T): T {
    // What a secret is replaced by needs no escaping, so the text stays JSON of the same shape.
    return JSON.parse(this.redact(JSON.stringify(value))) as T
  }

  get facts(): Readonly<Record<string, SecretFacts>> {
    return Object.fromEntries(this.#facts)
  }

  /** Longest first: a secret may stand inside another one. */
  #sorted(): readonly (readonly [string, string])[] {
    return [...this.#names].toSorted(([one], [other]) => other.length - one.length)
  }
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
