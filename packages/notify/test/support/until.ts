/** Resolves when the condition holds. @throws Error when it does not within five seconds */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 5000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('the condition did not come true')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
