import type { Group } from '../group.ts'
import { WEB_CHECKS } from './checks.ts'
import { WEB_REQUESTS } from './requests.ts'
import { transport } from './scenarios.ts'

export const WEB: Group = {
  name: 'WEB',
  title: 'Transport',
  scenarios: [transport],
  checks: [...WEB_CHECKS, ...WEB_REQUESTS],
}
