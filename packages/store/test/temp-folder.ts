import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterTest } from '../../testkit/src/after-test.ts'

/** A folder that is removed after the test. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-store-'))
  afterTest(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
