import type { Group } from '../group.ts'
import { PKC_CHECKS } from './checks.ts'
import { pkce } from './scenarios.ts'

export const PKC: Group = {
  name: 'PKC',
  title: 'Proof key for code exchange',
  scenarios: [pkce],
  checks: PKC_CHECKS,
}
