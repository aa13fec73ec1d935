/** Gathers what is wrong with options, so that all of it is reported at once. */
export interface Faults {
  add(path: string, fault: string): void
  /** What the attempt answers; what it throws is a fault. */
  attempt<Value>(path: string, attempt: () => Value): Value | undefined
  integer(path: string, value: unknown, min: number, max: number): void
  methods(path: string, value: unknown, names: readonly string[]): void
  optionalMethods(path: string, value: unknown, names: readonly string[]): void
  /** @throws TypeError naming every fault with its path */
  report(): void
}

export function createFaults(): Faults {
  const faults: string[] = []
  const add = (path: string, fault: string): void => {
    faults.push(`options.${path} ${fault}`)
  }

  function methods(path: string, value: unknown, names: readonly string[]): void {
    const members = value as Readonly<Record<string, unknown>> | null | undefined
    const missing = names.filter((name) => typeof members?.[name] !== 'function')
    if (missing.length > 0) add(path, `must have the methods ${missing.join(', ')}`)
  }

  return {
    add,
    attempt(path, attempt) {
      try {
        return attempt()
      } catch (error) {
        const message = error instanceof TypeError ? error.message : ''
        if (message.startsWith(`options.${path}`)) faults.push(message)
        else add(path, 'is malformed')
        return undefined
      }
    },
    integer(path, value, min, max) {
      if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max)
        return
      add(path, `must be a whole number from ${min} to ${max}`)
    },
    methods,
    optionalMethods(path, value, names) {
      if (value !== undefined) methods(path, value, names)
    },
    report() {
      if (faults.length > 0) throw new TypeError(faults.join('\n'))
    },
  }
}
