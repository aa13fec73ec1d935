/**
 * Says what keeps this place from making a release: the tree, the tag, the versions, the programs.
 *
 *   node .ci/publish/check.ts [--dry-run]
 *
 * Exit code 1 when something does; in a dry run it is only said. @see docs/recipes/release.md
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { placeFaults, readPlace } from './place.ts'

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } })
const faults = placeFaults(readPlace(path.resolve(import.meta.dirname, '../..')))
const before = values['dry-run'] ? 'A release would be refused here. ' : ''
for (const fault of faults) process.stderr.write(`${before}${fault}\n`)
if (faults.length > 0 && !values['dry-run']) process.exitCode = 1
