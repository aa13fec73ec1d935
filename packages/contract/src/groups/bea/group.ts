import type { Group } from '../group.ts'
import { BEA_CHECKS } from './checks.ts'
import { bearer } from './scenarios.ts'

export const BEA: Group = {
  name: 'BEA',
  title: 'Bearer tokens',
  scenarios: [bearer],
  checks: BEA_CHECKS,
}
