/**
 * Writes the documents that come from the code: `pnpm run docs`. With `--check` it writes nothing. With
 * `--released <version>` it notes what operators build on, as that version has it. Either way it fails
 * when the code mentions a decision that does not exist or keeps a record that docs/data-model.md does not name, when a
 * decision has no title or theme, when a link, a citation or a path in a recipe leads nowhere, when an option, an error,
 * an event or a line of the log has no words, when a mark of deprecation does less than it has to, when CHANGELOG.md does not say what changed for operators, when a route does not say what is in its body, when an example is of no endpoint; with `--check` also when a document is stale.
 */
import { parseArgs } from 'node:util'
import { adminApi, adminFaults } from './admin-api.ts'
import { bodyFaults } from './bodies.ts'
import { citationFaults } from './citations.ts'
import { configuration } from './configuration.ts'
import { contractPages } from './contract.ts'
import { dataModelFaults } from './data-model.ts'
import { decisionFaults, decisionIndex } from './decisions.ts'
import { deprecationFaults } from './deprecations.ts'
import { staleDocuments, writeDocuments } from './document.ts'
import { errorFaults, errorTables } from './errors.ts'
import { exampleFaults } from './examples.ts'
import { eventFaults, eventPages } from './events.ts'
import { pagesWithFragments } from './fragments.ts'
import { glossary, glossaryFaults } from './glossary.ts'
import { httpApi } from './http-api.ts'
import { linkFaults, recipeFaults } from './links.ts'
import { logFaults, logPage } from './logs.ts'
import { metricsPage } from './metrics.ts'
import { openApi } from './openapi.ts'
import { changelogFaults, recordSurface } from './operation-surface.ts'
import { optionFaults, optionPages } from './options.ts'
import { dataModel, recordTableFaults } from './record-tables.ts'
import { errorGroups, routeGroups, version } from './routes.ts'
import { sizesPage } from './sizes.ts'
import { walkFaults } from './walks.ts'

const groups = await routeGroups()
const documents = [
  ...adminApi(version()),
  configuration(),
  ...contractPages(),
  dataModel(),
  decisionIndex(),
  errorTables(errorGroups),
  ...eventPages(),
  glossary(),
  await httpApi(groups),
  logPage(),
  metricsPage(),
  openApi(groups, version()),
  ...optionPages(),
  sizesPage(),
  ...pagesWithFragments(),
]

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, released: { type: 'string' } },
})
const isCheck = values.check === true
if (values.released !== undefined) recordSurface(values.released)
const stale = isCheck ? staleDocuments(documents) : []
if (!isCheck) {
  for (const file of writeDocuments(documents)) process.stdout.write(`wrote ${file}\n`)
}
// The links are looked at in what was just written.
const faults = [
  ...adminFaults(),
  ...bodyFaults(groups),
  ...changelogFaults(),
  ...citationFaults(),
  ...dataModelFaults(),
  ...decisionFaults(),
  ...deprecationFaults(),
  ...errorFaults(errorGroups),
  ...eventFaults(),
  ...exampleFaults(groups),
  ...glossaryFaults(groups),
  ...linkFaults(),
  ...logFaults(),
  ...optionFaults(),
  ...recipeFaults(),
  ...recordTableFaults(),
  ...walkFaults(),
  ...stale.map((file) => `${file} is stale: run pnpm run docs`),
]
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
