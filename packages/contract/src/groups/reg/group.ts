import type { Group } from '../group.ts'
import { REG_ANSWERS } from './answers.ts'
import { REG_REFUSALS } from './refusals.ts'
import { fromWebApp, registration } from './scenarios.ts'

export const REG: Group = {
  name: 'REG',
  title: 'Registration of clients',
  scenarios: [registration, fromWebApp],
  checks: [...REG_ANSWERS, ...REG_REFUSALS],
}
