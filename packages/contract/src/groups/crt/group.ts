import type { Group } from '../group.ts'
import { CRT_CHECKS } from './checks.ts'
import { attestation, byOwner } from './scenarios.ts'

export const CRT: Group = {
  name: 'CRT',
  title: 'Certification',
  scenarios: [attestation, byOwner],
  checks: CRT_CHECKS,
}
