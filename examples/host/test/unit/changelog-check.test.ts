import { expect } from 'chai'
import { findChangelogFaults, operationSurface } from '../../../../docs/build/operation-surface.ts'

const SECTIONS = [
  'Store version',
  'Rolling upgrade',
  'Options',
  'Log events and metrics',
  'What owners will notice',
  'Security',
]
const sections = (words: Readonly<Record<string, string>> = {}): string =>
  SECTIONS.map((name) => `\n### ${name}\n\n${words[name] ?? 'Nothing.'}\n`).join('')

/** @see operation.md 5.7 */
describe('the check of CHANGELOG.md', () => {
  const surface = operationSurface()
  const before: Readonly<Record<string, string>> = {
    ...surface,
    'store version': '0',
    SVC_PORT: 'option, default 1',
    'server.started': 'event, warn',
    svc_instances: 'metric, counter',
    SVC_GONE: 'option, default 2',
  }
  const faultsOf = (unreleased: string, released = before, version = '0.1.0'): string[] =>
    findChangelogFaults({
      released: { version: '0.1.0', surface: released },
      surface,
      changes: `# Changes\n\n## Unreleased\n${unreleased}\n## ${version} (2026-12-01)\n${sections()}`,
      hasFixture: (name) => name === '0.1.0',
    })

  it('wants a line for a store version, an option, an event and a metric that changed', () => {
    const faults = faultsOf(sections())
    expect(faults).to.have.length(5)
    for (const name of Object.keys(before).filter((each) => before[each] !== surface[each])) {
      expect(faults.join('\n')).to.include(`does not say that ${name} was`)
    }
    const words = {
      'Store version': 'From 0 to 1; 1 000 000 records take a minute.',
      Options: '`SVC_PORT` was 1. `SVC_GONE` is removed.',
      'Log events and metrics': '`server.started` is info now; `svc_instances` is a gauge.',
    }
    expect(faultsOf(sections(words))).to.deep.equal([])
  })

  it('wants every section of each version', () => {
    const faults = faultsOf(sections().replace('### Security\n', ''), { ...surface })
    expect(faults).to.deep.equal(['CHANGELOG.md: Unreleased has no section "Security"'])
  })

  it('wants the surface and the stores of a version that was released', () => {
    const faults = faultsOf(sections(), { ...surface }, '0.2.1').join('\n')
    expect(faults).to.include('0.2.0 has nothing kept in examples/host/test/fixtures/versions')
    expect(faults).to.include('is not of 0.2.1: run pnpm run docs --released 0.2.1')
  })
})
