import type { Group } from '../group.ts'
import { CON_CARE } from './care-checks.ts'
import { CON_FLOW } from './flow-checks.ts'
import { accounts } from './scenarios.ts'

export const CON: Group = {
  name: 'CON',
  title: 'Connected accounts',
  scenarios: [accounts],
  checks: [...CON_FLOW, ...CON_CARE],
}
