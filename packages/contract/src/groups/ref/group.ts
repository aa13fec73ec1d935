import type { Group } from '../group.ts'
import { REF_CHECKS } from './checks.ts'
import { refresh } from './scenarios.ts'

export const REF: Group = {
  name: 'REF',
  title: 'Refreshing',
  scenarios: [refresh],
  checks: REF_CHECKS,
}
