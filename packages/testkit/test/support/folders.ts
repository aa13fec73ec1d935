import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after } from 'mocha'
import { afterTest } from '../../src/index.ts'

/** An empty folder for the test that is running. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-test-'))
  afterTest(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An empty folder for the suite that is being defined. */
export function suiteFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-suite-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
