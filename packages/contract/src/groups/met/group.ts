import type { Group } from '../group.ts'
import { MET_CHECKS } from './checks.ts'
import { metadata } from './scenarios.ts'

export const MET: Group = {
  name: 'MET',
  title: 'Metadata',
  scenarios: [metadata],
  checks: MET_CHECKS,
}
