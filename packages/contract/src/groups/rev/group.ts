import type { Group } from '../group.ts'
import { REV_CHECKS } from './checks.ts'
import { revocation } from './scenarios.ts'

export const REV: Group = {
  name: 'REV',
  title: 'Revocation',
  scenarios: [revocation],
  checks: REV_CHECKS,
}
