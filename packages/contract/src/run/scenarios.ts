import type { Exclusive, Scenario } from '../groups/group.ts'
import { BudgetError } from '../net/budget.ts'
import type { World } from '../world/world.ts'

/** Runs scenarios side by side where they share nothing. @returns those that stopped, with the reason */
export async function runScenarios(
  scenarios: readonly Scenario[],
  world: World,
  isStopping: () => boolean,
): Promise<Record<string, string>> {
  const stopped: Record<string, string> = {}
  const queues = new Map<Exclusive, Promise<void>>()
  await Promise.all(
    scenarios.toSorted(byTurn).map((scenario) => {
      const { exclusive } = scenario
      if (exclusive === undefined) return runOne(scenario)
      const turn = (queues.get(exclusive) ?? Promise.resolve()).then(() => runOne(scenario))
      queues.set(exclusive, turn)
      return turn
    }),
  )
  return stopped

  async function runOne(scenario: Scenario): Promise<void> {
    const lacking = scenario.needs?.find((need) => !world.can(need))
    if (lacking !== undefined) return
    if (isStopping()) {
      stopped[scenario.id] = 'the run was ended before it began'
      return
    }
    try {
      await scenario.run(world)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      stopped[scenario.id] = error instanceof BudgetError ? `budget: ${reason}` : reason
    }
  }
}

/** Keeps the order of those whose turn does not matter. */
function byTurn({ turn: one = 0 }: Scenario, { turn: other = 0 }: Scenario): number {
  return one - other
}

/** The same order for the same seed, another one for another. */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const rest = [...items]
  let state = seed >>> 0 || 1
  for (let at = rest.length - 1; at > 0; at--) {
    // A linear congruential generator, with the constants of Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = state % (at + 1)
    const moved = rest[at]
    const taken = rest[other]
    if (moved === undefined || taken === undefined) continue
    rest[at] = taken
    rest[other] = moved
  }
  return rest
}
