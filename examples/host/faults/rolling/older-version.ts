import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Program } from '../support/program.ts'

const run = promisify(execFile)
const ROOT = path.resolve(import.meta.dirname, '../../../..')

/**
 * Checks a revision of this repository out beside it, with what its own lock file names. It goes when the program ends.
 * @returns the folder of its host
 */
export async function checkOut(
  revision: string,
  { atEnd, say }: Pick<Program, 'atEnd' | 'say'>,
): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), 'svc-older-'))
  const folder = path.join(parent, 'svc')
  atEnd(async () => {
    await run('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT }).catch(() => {})
    await rm(parent, { recursive: true, force: true })
  })
  await run('git', ['worktree', 'add', '--detach', folder, revision], { cwd: ROOT })
  const { stdout } = await run('git', ['log', '-1', '--format=%h %cI'], { cwd: folder })
  const install = ['-y', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--prefer-offline']
  await run('npx', install, { cwd: folder })
  const [commit, madeAt] = stdout.trim().split(' ')
  say('older_version', { commit, madeAt })
  return path.join(folder, 'examples/host')
}
