/** What broke and where; the message might hold a token. */
export function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frame = error.stack?.split('\n').find((line) => line.startsWith('    at '))
  return `${error.name}${frame === undefined ? '' : frame.slice('   '.length)}`
}
