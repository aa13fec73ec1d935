const TRUE: ReadonlySet<string> = new Set(['1', 'true', 'on'])

/** Whether a posted field says yes: `1`, `true`, or `on` as a checkbox without value does. */
export function isTrue(value: string): boolean {
  return TRUE.has(value)
}
