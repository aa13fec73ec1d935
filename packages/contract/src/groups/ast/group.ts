import type { Group } from '../group.ts'
import { AST_CHECKS } from './checks.ts'
import { assistants, keys } from './scenarios.ts'

export const AST: Group = {
  name: 'AST',
  title: 'Assistants',
  scenarios: [assistants, keys],
  checks: AST_CHECKS,
}
