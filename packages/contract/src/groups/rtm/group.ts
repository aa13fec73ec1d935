import type { Group } from '../group.ts'
import { RTM_CHECKS } from './checks.ts'
import { connections } from './scenarios.ts'

export const RTM: Group = {
  name: 'RTM',
  title: 'Realtime',
  scenarios: [connections],
  checks: RTM_CHECKS,
}
