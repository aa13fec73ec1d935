import type { Group } from '../group.ts'
import { withNeeds } from '../shaped.ts'
import { CNF_CHECKS } from './checks.ts'
import { confirmation, event } from './scenarios.ts'

export const CNF: Group = {
  name: 'CNF',
  title: 'Confirmation by the owner',
  scenarios: [confirmation, event],
  checks: withNeeds(CNF_CHECKS, 'passphrase'),
}
