import type { Group } from '../group.ts'
import { NOT_CHECKS } from './checks.ts'
import { NOT_REFUSALS } from './refusals.ts'
import { notifications } from './scenarios.ts'

export const NOT: Group = {
  name: 'NOT',
  title: 'Notifications',
  scenarios: [notifications],
  checks: [...NOT_CHECKS, ...NOT_REFUSALS],
}
