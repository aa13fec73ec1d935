/**
 * `prepack` of every public package, run in its folder after the build: leaves out declarations that earlier builds left
 * behind, and checks what the tarball would hold. Exit code 1 fails the pack. @see docs/decisions/0600
 */
import { packageFaults } from './package-faults.ts'
import { leaveOutStale } from './package-files.ts'

const folder = process.cwd()
leaveOutStale(folder)
const faults = packageFaults(folder)
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) process.exitCode = 1
