import { execFileSync } from 'node:child_process'

/**
 * Of the commit, seconds: what is made of it is as old as it is. Where there is no repository, such as in a container's
 * build, `SOURCE_DATE_EPOCH` names it.
 */
export function commitTime(root: string): number {
  const given = process.env['SOURCE_DATE_EPOCH']
  if (given !== undefined) return Number(given)
  const text = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  return Number(text.trim())
}
