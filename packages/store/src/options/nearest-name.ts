/**
 * The known name that was probably meant; undefined when none is near.
 * @param most - letters that may differ, the case of letters aside
 * @example
 * const meant = nearestName('trustProxi', ['store', 'trustProxy']) // trustProxy
 */
export function nearestName(
  name: string,
  known: readonly string[],
  most: number = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  if (name === '') return undefined
  const [best] = known
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, two) => one.distance - two.distance)
  return best?.other
}

/** How many letters have to be put in, left out, replaced, or exchanged with the next one. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isExchanged = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isExchanged ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
