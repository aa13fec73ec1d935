/** Resolves when the condition holds. @throws Error when it does not in time */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = 8000,
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`never within ${limitMs} ms: ${String(condition)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
