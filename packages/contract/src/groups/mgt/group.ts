import type { Group } from '../group.ts'
import { MGT_CHECKS } from './checks.ts'
import { MGT_REMOVAL } from './removal.ts'
import { management } from './scenarios.ts'

export const MGT: Group = {
  name: 'MGT',
  title: 'Management of clients',
  scenarios: [management],
  checks: [...MGT_CHECKS, ...MGT_REMOVAL],
}
