import type { Group } from '../group.ts'
import { REG_ANSWERS } from './answers.ts'
import { publicRegistration, REG_PUBLIC } from './public.ts'
import { REG_REFUSALS } from './refusals.ts'
import { fromWebApp, registration } from './scenarios.ts'

export const REG: Group = {
  name: 'REG',
  title: 'Registration of clients',
  scenarios: [registration, publicRegistration, fromWebApp],
  checks: [...REG_ANSWERS, ...REG_REFUSALS, ...REG_PUBLIC],
}
