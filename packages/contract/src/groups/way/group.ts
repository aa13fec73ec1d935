import type { Group } from '../group.ts'
import { WAY_FORMS } from './form-checks.ts'
import { WAY_ONBOARDING } from './onboarding-checks.ts'
import { WAY_RESET } from './reset-checks.ts'
import { forms, waysBack } from './scenarios.ts'

export const WAY: Group = {
  name: 'WAY',
  title: 'Onboarding, reminder and new passphrase',
  scenarios: [forms, waysBack],
  checks: [...WAY_FORMS, ...WAY_ONBOARDING, ...WAY_RESET],
}
