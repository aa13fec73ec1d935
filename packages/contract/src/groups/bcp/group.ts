import type { Group } from '../group.ts'
import { BCP_CHECKS } from './checks.ts'
import { attacks } from './scenarios.ts'

export const BCP: Group = {
  name: 'BCP',
  title: 'Best current practice of security',
  scenarios: [attacks],
  checks: BCP_CHECKS,
}
