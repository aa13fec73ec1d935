/**
 * What a log may say of something thrown: the stack of an error. Its other members stay out, since they hold what was
 * sent (the arguments of a command to Redis, its password among them), and so does the message of a SyntaxError, which
 * quotes the text that was parsed.
 * @see docs/decisions/0216-errors-in-the-log.md
 */
export function describeError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `a thrown ${thrown === null ? 'null' : typeof thrown}`
  const { name, message, stack = `${name}: ${message}` } = thrown
  if (!(thrown instanceof SyntaxError)) return stack
  const quoting = `${name}: ${message}`
  // The message may hold line breaks of its own: only its length tells where it ends.
  return stack.startsWith(`${quoting}\n`) ? `${name}${stack.slice(quoting.length)}` : name
}
