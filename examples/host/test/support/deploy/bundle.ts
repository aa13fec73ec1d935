import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url))

/** Makes the archive that operators install. @returns its path */
export function makeBundle(folder: string): string {
  const run = (...args: readonly string[]): void => {
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'pipe' })
  }
  // A run of all tests has built everything before it made the first one.
  if (process.env['SVC_BUNDLE'] === undefined) {
    run(path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-b')
  }
  run(path.join(ROOT, '.ci/bundle/main.ts'), '--out', folder)
  return archiveIn(folder)
}

/** The archive that a run of all tests has made already, else a new one. */
export function bundleOnce(folder: string): string {
  const made = process.env['SVC_BUNDLE']
  return made === undefined ? makeBundle(folder) : archiveIn(made)
}

function archiveIn(folder: string): string {
  const name = readdirSync(folder).find((each) => /^svc-.*\.tar\.gz$/.test(each))
  if (name === undefined) throw new Error(`no archive in ${folder}`)
  return path.join(folder, name)
}
