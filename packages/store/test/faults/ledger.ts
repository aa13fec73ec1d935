/*
 * What a writer says about its records, one line per fact, before and after each step:
 *   `? id`  its state is unknown from now on     `+ id`  it is there, acknowledged
 *   `- id`  it is gone, acknowledged              `= a b` written together: both or none
 *   `# n`   the counter stands at n at least, acknowledged
 */

/** What must be true of the records after a crash. */
export interface Ledger {
  note(line: string): void
  /** Ids of all records spoken of. */
  ids(): string[]
  /** Compares with the ids that are there and the counter; answers the faults found. */
  audit(isThere: (id: string) => boolean, counter: number): string[]
  readonly acknowledged: number
}

type State = 'there' | 'gone' | 'unknown'

export function createLedger(): Ledger {
  const states = new Map<string, State>()
  const pairs: [string, string][] = []
  let acknowledged = 0
  let hits = 0
  return {
    get acknowledged() {
      return acknowledged
    },
    note(line) {
      const [fact, one = '', two = ''] = line.split(' ')
      if (fact === '?') states.set(one, 'unknown')
      if (fact === '=') pairs.push([one, two])
      if (fact === '#') hits = Math.max(hits, Number(one))
      if (fact !== '+' && fact !== '-') return
      states.set(one, fact === '+' ? 'there' : 'gone')
      acknowledged++
    },
    ids: () => [...states.keys()],
    audit(isThere, counter) {
      const faults: string[] = []
      for (const [id, state] of states) {
        if (state === 'there' && !isThere(id)) faults.push(`${id} is lost`)
        if (state === 'gone' && isThere(id)) faults.push(`${id} came back`)
      }
      for (const [one, two] of pairs) {
        // Later steps touch only one of them, and are in the ledger before they begin.
        const isUntouched = states.get(one) === states.get(two)
        if (isUntouched && isThere(one) !== isThere(two)) faults.push(`${one} without ${two}`)
      }
      if (counter < hits) faults.push(`the counter stands at ${counter}, ${hits} was acknowledged`)
      return faults
    },
  }
}
