import type { Group } from '../group.ts'
import { AUT_ANSWERS } from './answers.ts'
import { AUT_FAULTS } from './fault-checks.ts'
import { AUT_FORM } from './form-checks.ts'
import { form } from './form-scenario.ts'
import { AUT_REFUSALS } from './refusals.ts'
import { consent, faults, refusal, refusals } from './scenarios.ts'

export const AUT: Group = {
  name: 'AUT',
  title: 'Authorization',
  scenarios: [consent, refusal, refusals, faults, form],
  checks: [...AUT_ANSWERS, ...AUT_REFUSALS, ...AUT_FORM, ...AUT_FAULTS],
}
