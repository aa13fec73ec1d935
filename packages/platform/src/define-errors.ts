/** What is known of an error before it happens. */
export interface ErrorRow {
  readonly status: number
  /** Sent unless the thrower says something else. Absent: the code says enough, or each thrower says what is wrong. */
  readonly description?: string
  /** What JSON:API answers call the kind of error. Absent: they have the code, and what is sent. */
  readonly title?: string
  /** A failure of which nothing but the code is sent: the rest is about the inside of the server. */
  readonly isHidden?: true
  /** When it is answered and what to do about it, for the reference. */
  readonly text: string
  /** Section of the specification. */
  readonly source: string
}

/** What an error may say beyond its row. */
export interface CodedErrorOptions {
  /** Instead of the row's, where the specification gives one code several. */
  readonly status?: number
  /** Sent; never holds a secret, a token or an address. */
  readonly description?: string
  /** Logged only. */
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>
  /** What pages say instead of `description`, which is English. */
  readonly words?: ErrorWords
  /** When to try again. Seconds, sent as `Retry-After`. */
  readonly retryAfterS?: number
  /** JSON pointer to what is wrong in the body, for JSON:API answers. */
  readonly pointer?: string
  readonly cause?: unknown
}

/** A sentence of the user interface's catalogue that names something, such as a host. */
export interface ErrorWords {
  /** Its key is `error.text.<key>`. */
  readonly key: string
  readonly values: Readonly<Record<string, string | number>>
}

/** One member of the `errors` of a JSON:API answer, beside its status. @see JSON:API 1.1, error objects */
interface ErrorObject {
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly source?: { readonly pointer: string } | { readonly parameter: string }
}

/** An error of a package's table. Anything that renders errors can answer it: see `HttpError`. */
export interface CodedError<Code extends string> extends Error {
  readonly code: Code
  readonly status: number
  readonly expose: boolean
  readonly description?: string
  readonly detail?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly words?: ErrorWords
  /** Everything that is wrong, where the table has titles. */
  readonly errors?: readonly ErrorObject[]
}

/** The errors of a package: made with `new`, recognised with `is`. */
export interface ErrorClass<Code extends string> {
  new (code: Code, options?: CodedErrorOptions): CodedError<Code>
  readonly prototype: CodedError<Code>
  readonly rows: Readonly<Record<Code, ErrorRow>>
  /**
   * Whether a thrown value is one of these errors: by shape, so that two copies of a package know each other's.
   * @param codes - which of them; none: any
   */
  is(value: unknown, ...codes: readonly Code[]): value is CodedError<Code>
  /** One error for several things that are wrong at once; it has the status and the code of the first. */
  ofAll(
    faults: readonly [ErrorFault<Code>, ...ErrorFault<Code>[]],
    options?: Omit<CodedErrorOptions, 'description' | 'pointer'>,
  ): CodedError<Code>
}

/** One of several things that are wrong at once. */
export interface ErrorFault<Code extends string> {
  readonly code: Code
  /** Sent. */
  readonly description?: string
  /** JSON pointer into the body. */
  readonly pointer?: string
}

/**
 * Defines the errors of a package, each once.
 * @param name - of the class, as it is in logs and how its errors are recognised
 * @example
 * export const CourierError: ErrorClass<'box_full'> = defineErrors('CourierError', {
 *   box_full: { status: 503, description: 'the box is full', text: 'Try again …', source: 'courier.md 2' },
 * })
 * throw new CourierError('box_full', { retryAfterS: 60 })
 */
export function defineErrors<Code extends string>(
  name: string,
  rows: Readonly<Record<Code, ErrorRow>>,
): ErrorClass<Code> {
  class Defined extends Error implements CodedError<Code> {
    static readonly rows: Readonly<Record<Code, ErrorRow>> = rows
    override readonly name: string = name
    readonly code: Code
    readonly status: number
    readonly expose: boolean
    declare readonly description?: string
    declare readonly detail?: string
    declare readonly headers?: Readonly<Record<string, string>>
    declare readonly words?: ErrorWords
    declare readonly errors?: readonly ErrorObject[]

    constructor(code: Code, options: CodedErrorOptions = {}) {
      const row: ErrorRow = rows[code]
      const { description = row.description, pointer, retryAfterS } = options
      super(description ?? code, options.cause === undefined ? {} : { cause: options.cause })
      this.code = code
      this.status = options.status ?? row.status
      this.expose = row.isHidden !== true || this.status < 500
      if (description !== undefined) this.description = description
      if (options.detail !== undefined) this.detail = options.detail
      if (options.words !== undefined) this.words = options.words
      const retry = retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) }
      const headers = { ...options.headers, ...retry }
      if (Object.keys(headers).length > 0) this.headers = headers
      if (row.title !== undefined) {
        const said = { ...(description !== undefined && { description }) }
        this.errors = [toObject({ code, ...said, ...(pointer !== undefined && { pointer }) })]
      }
    }

    static is(value: unknown, ...codes: readonly Code[]): value is CodedError<Code> {
      if (!(value instanceof Error)) return false
      if (!(value instanceof Defined) && value.name !== name) return false
      const { code } = value as Partial<CodedError<Code>>
      return code !== undefined && (codes.length === 0 || codes.includes(code))
    }

    static ofAll(
      faults: readonly [ErrorFault<Code>, ...ErrorFault<Code>[]],
      options: Omit<CodedErrorOptions, 'description' | 'pointer'> = {},
    ): CodedError<Code> {
      const [{ code, description }] = faults
      const said = { ...options, ...(description !== undefined && { description }) }
      return Object.assign(new Defined(code, said), { errors: faults.map(toObject) })
    }
  }

  function toObject({ code, description, pointer }: ErrorFault<Code>): ErrorObject {
    return {
      code,
      title: rows[code].title ?? description ?? code,
      ...(description !== undefined && { detail: description }),
      ...(pointer !== undefined && { source: { pointer } }),
    }
  }

  return Object.defineProperty(Defined, 'name', { value: name })
}
