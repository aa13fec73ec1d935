/** What becomes of a change that was acknowledged and does not hold. */
export type Harm = 'lost' | 'revived' | 'used twice'

/** A change that was answered with success. */
export interface Acknowledged {
  /** What kind of change, as `client registered`. */
  readonly kind: string
  readonly harm: Harm
  /** Looks it up. What is used once is used again for that: it is asked last, and once. */
  holds(): Promise<boolean>
}

/** No answer came, or one that says that nothing is known: the change may hold or not. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

export interface Ledger {
  /** How often each kind was acknowledged. */
  readonly kinds: ReadonlyMap<string, number>
  readonly acknowledged: number
  readonly unanswered: number
  /** From now on, changes are not begun any more, until the next look-up is over. */
  stop(): void
  /**
   * Makes a change and notes it once it is acknowledged.
   * @param instead - earlier ones that do not hold any more once this one does
   * @throws Unanswered
   */
  change<Answer>(
    act: () => Promise<Answer>,
    note: (answer: Answer) => Acknowledged,
    instead?: readonly Acknowledged[],
  ): Promise<readonly [Answer, Acknowledged]>
  /** Looks up all that was acknowledged since the last time. @returns those that do not hold */
  lookUp(): Promise<readonly Acknowledged[]>
}

/** Look-ups at a time. */
const LANES = 8
const ORDER: Readonly<Record<Harm, number>> = { lost: 0, revived: 1, 'used twice': 2 }

/** What was acknowledged by a server that gets killed. */
export function openLedger(): Ledger {
  const kinds = new Map<string, number>()
  const open = new Set<Acknowledged>()
  let acknowledged = 0
  let unanswered = 0
  let isStopped = false

  async function sortOut(stage: number): Promise<readonly Acknowledged[]> {
    const waiting = [...open].filter(({ harm }) => ORDER[harm] === stage)
    const harmed: Acknowledged[] = []
    async function lane(): Promise<void> {
      for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
        if (!(await each.holds())) harmed.push(each)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
    return harmed
  }

  return {
    kinds,
    get acknowledged() {
      return acknowledged
    },
    get unanswered() {
      return unanswered
    },
    stop() {
      isStopped = true
    },
    async change(act, note, instead = []) {
      if (isStopped) throw new Unanswered('the server is about to be killed')
      // Whether they still hold is not known before the answer.
      for (const each of instead) open.delete(each)
      try {
        const answer = await act()
        const entry = note(answer)
        open.add(entry)
        acknowledged += 1
        kinds.set(entry.kind, (kinds.get(entry.kind) ?? 0) + 1)
        return [answer, entry]
      } catch (error) {
        if (error instanceof Unanswered) unanswered += 1
        throw error
      }
    },
    async lookUp() {
      const harmed: Acknowledged[] = []
      // What a look-up uses up comes last: it may end what others look at.
      for (const stage of Object.values(ORDER)) harmed.push(...(await sortOut(stage)))
      open.clear()
      isStopped = false
      return harmed
    },
  }
}
