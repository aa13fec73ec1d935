import path from 'node:path'
import { expectKnown, npmJudge } from '../support/judge.ts'

const DOCS = path.join(import.meta.dirname, '../../../../docs')

interface Report {
  readonly problems: readonly { readonly ruleId: string }[]
}

describe('redocly on the documents for programs', function () {
  this.timeout(300_000)

  for (const name of ['openapi.json', 'admin-openapi.json']) {
    it(`finds nothing new in ${name}`, async () => {
      const redocly = await npmJudge('@redocly/cli@2.77.0', 'redocly')
      const args = ['lint', path.join(DOCS, name), '--format=json']
      const { stdout } = await redocly.run(args, { env: { REDOCLY_TELEMETRY: 'off' } })
      const { problems } = JSON.parse(stdout) as Report // as its version writes it
      await expectKnown(
        `redocly ${name}`,
        problems.map(({ ruleId }) => ruleId),
      )
    })
  }
})
