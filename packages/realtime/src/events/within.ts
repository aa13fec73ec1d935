/** Resolves with the promise, but no later than this; whether it succeeded is for others to look at. Never rejects. */
export async function within(promise: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  const settled = promise.then(
    () => {},
    () => {},
  )
  await Promise.race([settled, late])
  clearTimeout(timer)
}
