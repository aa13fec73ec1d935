import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expectKnown, npmJudge } from '../support/judge.ts'

const DOCS = path.join(import.meta.dirname, '../../../../docs')

describe('spectral on the documents for programs', function () {
  this.timeout(300_000)
  let folder: string
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'svc-spectral-'))
    await writeFile(path.join(folder, 'rules.json'), '{"extends":["spectral:oas"]}')
  })
  after(() => rm(folder, { recursive: true }))

  for (const name of ['openapi.json', 'admin-openapi.json']) {
    it(`finds nothing new in ${name}`, async () => {
      const spectral = await npmJudge('@stoplight/spectral-cli@6.16.3', 'spectral')
      const options = ['--quiet', '--format=json', '--ruleset', path.join(folder, 'rules.json')]
      const { stdout } = await spectral.run(['lint', ...options, path.join(DOCS, name)])
      const findings = JSON.parse(stdout) as { readonly code: string }[] // as its version writes it
      await expectKnown(
        `spectral ${name}`,
        findings.map(({ code }) => code),
      )
    })
  }
})
