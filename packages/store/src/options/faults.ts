/** One thing that is wrong with what a function was told. */
export interface OptionFault {
  /** Where, such as `options.limits.token.windowMs`. */
  readonly path: string
  readonly problem: string
  /** What to do about it: a name that was probably meant, or a sentence. */
  readonly hint?: string
}

/**
 * Every fault of the options at once; the message has one line for each, and never a value.
 * @example
 * if (error instanceof OptionsError) return error.faults.map(({ path }) => path)
 */
export class OptionsError extends TypeError {
  readonly code: string = 'invalid_options'
  readonly faults: readonly OptionFault[]

  constructor(faults: readonly OptionFault[]) {
    super(faults.map(faultLine).join('\n'))
    this.faults = faults
  }
}

function faultLine({ path, problem, hint }: OptionFault): string {
  if (hint === undefined) return `${path}: ${problem}`
  return /^\p{Ll}/u.test(hint) ? `${path}: ${problem}, ${hint}` : `${path}: ${problem}. ${hint}`
}
