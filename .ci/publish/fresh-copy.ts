import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import path from 'node:path'
import { runPnpm } from '../../packages/testkit/src/packed-packages.ts'

/** Copies what git knows, and what it would take, to a place where nothing was ever built, and installs there. */
export function freshCopy(root: string, to: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  })
  for (const file of files.split('\0')) {
    const source = path.join(root, file)
    if (file !== '' && existsSync(source)) cpSync(source, path.join(to, file))
  }
  runPnpm(['install', '--prefer-offline', '--frozen-lockfile', '--ignore-scripts'], to)
}
