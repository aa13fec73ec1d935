import type { Group } from '../group.ts'
import { TOK_ANSWERS } from './answers.ts'
import { TOK_REFUSALS } from './refusals.ts'
import { exchange, races, wrong } from './scenarios.ts'

export const TOK: Group = {
  name: 'TOK',
  title: 'Token endpoint',
  scenarios: [exchange, wrong, races],
  checks: [...TOK_ANSWERS, ...TOK_REFUSALS],
}
