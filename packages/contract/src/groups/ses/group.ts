import type { Group } from '../group.ts'
import { withNeeds } from '../shaped.ts'
import { SES_CHECKS } from './checks.ts'
import { SES_CODES } from './codes.ts'
import { SES_REDIRECTS } from './redirects.ts'
import { codes, login, redirects } from './scenarios.ts'

export const SES: Group = {
  name: 'SES',
  title: 'Login and sessions',
  scenarios: [redirects, login, codes],
  checks: withNeeds([...SES_CHECKS, ...SES_CODES, ...SES_REDIRECTS], 'passphrase'),
}
