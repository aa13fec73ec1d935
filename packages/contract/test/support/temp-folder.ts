import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'mocha'

/** A folder of each test of the suite that calls this. @returns its path */
export function tempFolder(): () => string {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'contract-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  return () => folder
}

/** The same, with the process in it. */
export function workFolder(): () => string {
  const before = process.cwd()
  // Hooks run in the order that they are declared in.
  afterEach(() => process.chdir(before))
  const folder = tempFolder()
  beforeEach(() => process.chdir(folder()))
  return folder
}
