import { RequestError } from './request-error.ts'

const MAX_PARAMETERS = 200
const NONE: ReadonlyMap<string, string> = new Map()

/**
 * A query or form, read strictly: names are plain (`a[b]` is a name), percent-encoding must be valid UTF-8.
 * A `Map`, so that a parameter called `__proto__` is one like any other.
 */
export class Parameters {
  static readonly empty: Parameters = new Parameters(NONE, undefined)
  /** The first name that occurs twice; such a request is refused (RFC 6749 section 3.1). */
  readonly duplicate: string | undefined
  readonly #values: ReadonlyMap<string, string>

  private constructor(values: ReadonlyMap<string, string>, duplicate: string | undefined) {
    this.#values = values
    this.duplicate = duplicate
  }

  /**
   * @throws RequestError `invalid_request` for malformed percent-encoding, invalid UTF-8 or more than 200 parameters
   */
  static parse(text: string): Parameters {
    if (text === '') return Parameters.empty
    const pairs = text.split('&')
    if (pairs.length > MAX_PARAMETERS) throw malformed('too many parameters')
    const values = new Map<string, string>()
    let duplicate: string | undefined
    for (const pair of pairs) {
      if (pair === '') continue
      const at = pair.indexOf('=')
      const name = decode(at === -1 ? pair : pair.slice(0, at))
      const value = at === -1 ? '' : decode(pair.slice(at + 1))
      if (values.has(name)) duplicate ??= name
      else values.set(name, value)
    }
    return new Parameters(values, duplicate)
  }

  /**
   * A query string: as {@link Parameters.parse}, and only ASCII, since anything else is percent-encoded there.
   * @throws RequestError `invalid_request`
   */
  static parseQuery(text: string): Parameters {
    // oxlint-disable-next-line no-control-regex
    if (/[^\u0021-\u007e]/.test(text)) throw malformed('malformed query')
    return Parameters.parse(text)
  }

  /** The value, or undefined when absent. */
  get(name: string): string | undefined {
    return this.#values.get(name)
  }

  /** The value, or `''` when absent. */
  text(name: string): string {
    return this.#values.get(name) ?? ''
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries()
  }
}

function decode(text: string): string {
  const plain = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!plain.includes('%')) return plain
  try {
    return decodeURIComponent(plain)
  } catch {
    throw malformed('malformed percent-encoding')
  }
}

function malformed(description: string): RequestError {
  return new RequestError('invalid_request', { description })
}
