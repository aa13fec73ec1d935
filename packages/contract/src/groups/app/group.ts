import type { Group } from '../group.ts'
import { APP_CHECKS } from './checks.ts'
import { apps } from './scenarios.ts'

export const APP: Group = {
  name: 'APP',
  title: 'Apps on the instance',
  scenarios: [apps],
  checks: APP_CHECKS,
}
