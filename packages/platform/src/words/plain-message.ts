/** Words of a text and what was given for its arguments, in order; neighbouring words are one part. */
export type PlainMessage = <Value extends object>(
  values: Readonly<Record<string, string | number | Value>>,
) => readonly (string | Value)[]

const PLAIN = /^(?:[^{}]|\{[A-Za-z][A-Za-z0-9_]*\})*$/u
/** An apostrophe that quotes, or stands for itself twice. */
const QUOTING = /'['{}<>]/u
const ARGUMENT = /\{([^}]*)\}/u

/**
 * Reads an ICU message of words and arguments without a type (`{name}`), which says the same in every language: most
 * texts are such. A library for the others knows what each language counts like, and its first use loads that for all
 * of them: some 4 MiB and 15 ms.
 * @returns undefined for a message that needs such a library: plurals, choices, numbers, dates, quoted words. Tags are
 * words. What is returned throws TypeError for an argument that it is not given
 * @example
 * const greet = plainMessage('Hello {name}!')
 * greet?.({ name: 'Alice' }) // ['Hello Alice!']
 */
export function plainMessage(message: string): PlainMessage | undefined {
  if (!PLAIN.test(message) || QUOTING.test(message)) return undefined
  // Words and names in turns.
  const split = message.split(ARGUMENT)
  return function format<Value extends object>(
    values: Readonly<Record<string, string | number | Value>>,
  ) {
    const parts: (string | Value)[] = []
    for (const [at, text] of split.entries()) {
      const isName = at % 2 === 1
      if (isName && !Object.hasOwn(values, text)) {
        throw new TypeError(`no value for {${text}} in: ${message}`)
      }
      // What is given as undefined is no words.
      const value = isName ? (values[text] ?? '') : text
      const last = parts.at(-1)
      if (typeof value === 'object') parts.push(value)
      else if (typeof last === 'string') parts[parts.length - 1] = last + value
      else if (isName || text !== '') parts.push(String(value))
    }
    return parts
  }
}
