import type { Group } from '../group.ts'
import { SHM_CHECKS } from './checks.ts'
import { move, sharings } from './scenarios.ts'

export const SHM: Group = {
  name: 'SHM',
  title: 'Sharing, move and links',
  scenarios: [sharings, move],
  checks: SHM_CHECKS,
}
