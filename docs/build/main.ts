/**
 * Writes the documents that come from the code: `pnpm run docs`. With `--check` it writes nothing and fails when one
 * of them is not what it would write, when the code mentions a decision that does not exist or keeps a record that
 * docs/data-model.md does not name, when a link or a citation leads nowhere, when an option is not documented, or when
 * a row does not say what is in its body.
 */
import { bodyFaults } from './bodies.ts'
import { citationFaults } from './citations.ts'
import { configuration } from './configuration.ts'
import { dataModelFaults } from './data-model.ts'
import { decisionFaults, decisionIndex } from './decisions.ts'
import { staleDocuments, writeDocuments } from './document.ts'
import { errorTables } from './errors.ts'
import { httpApi } from './http-api.ts'
import { linkFaults } from './links.ts'
import { openApi } from './openapi.ts'
import { optionFaults, optionPages } from './options.ts'
import { errorGroups, routeGroups, version } from './routes.ts'

const groups = await routeGroups()
const documents = [
  configuration(),
  decisionIndex(),
  errorTables(errorGroups),
  await httpApi(groups),
  openApi(groups, version()),
  optionPages(),
]

const isCheck = process.argv.includes('--check')
const faults = [
  ...bodyFaults(groups),
  ...citationFaults(),
  ...dataModelFaults(),
  ...decisionFaults(),
  ...linkFaults(),
  ...optionFaults(),
]
if (isCheck) {
  faults.push(...staleDocuments(documents).map((file) => `${file} is stale: run pnpm run docs`))
} else {
  for (const file of writeDocuments(documents)) process.stdout.write(`wrote ${file}\n`)
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
