/** What a figure may grow by before somebody looks at it. */
const GROWTH = 1.02

/** A sentence when a figure grew by more than 2 % since somebody looked at it. @param write - the command that notes it */
export function growthFaults(what: string, now: number, before: number, write: string): string[] {
  if (now <= before * GROWTH) return []
  return [
    `${what}: ${now}, and ${before} when somebody last looked. Find out what came in; if it is worth it, run \`${write}\`.`,
  ]
}
