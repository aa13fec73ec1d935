import type { Group } from '../group.ts'
import { LIM_CHECKS } from './checks.ts'
import { limits } from './scenarios.ts'

export const LIM: Group = {
  name: 'LIM',
  title: 'Limits',
  scenarios: [limits],
  checks: LIM_CHECKS,
}
