import type { Group } from '../group.ts'
import { TFA_CHECKS } from './checks.ts'
import { secondFactor } from './scenarios.ts'

export const TFA: Group = {
  name: 'TFA',
  title: 'Second factor',
  scenarios: [secondFactor],
  checks: TFA_CHECKS,
}
