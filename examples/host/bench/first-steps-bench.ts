import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { installCommands } from '@svc/testkit'
import type { Figure } from './figure.ts'

export interface FirstStepsBenchOptions {
  readonly say: (line: string) => void
}

const ROOT = path.resolve(import.meta.dirname, '../../..')
const EXAMPLE = path.join(ROOT, 'examples/embedded')
/** From an empty folder to the settings page, with what is downloaded there already. */
const MOST_S = 60

/**
 * What the first ten minutes take of a machine: the commands of the README as printed, in an empty folder, and the test
 * of the example, which starts the server and opens its pages. With a new clone of the commit, and with that clone again,
 * whose packages are packed.
 */
export function benchFirstSteps({ say }: FirstStepsBenchOptions): Figure[] {
  const place = mkdtempSync(path.join(tmpdir(), 'svc-first-steps-'))
  try {
    const clone = path.join(place, 'clone')
    execFileSync('git', ['clone', '--quiet', ROOT, clone])
    const { npm, pnpm } = installCommands(ROOT)
    return [
      ['npm, new clone', npm],
      ['npm, clone packed before', npm],
      ['pnpm, clone packed before', pnpm],
    ].map(([how = '', commands = '']) => {
      const seconds = takeSteps(commands, mkdtempSync(path.join(place, 'folder-')), clone)
      say(`first steps with ${how}: ${seconds.toFixed(1)} s`)
      return {
        name: `first steps with ${how}`,
        value: `${seconds.toFixed(1)} s`,
        target: `≤ ${MOST_S} s`,
        isMet: seconds <= MOST_S,
      }
    })
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** @returns seconds */
function takeSteps(commands: string, folder: string, clone: string): number {
  const PATH = `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`
  const env = { ...process.env, SVC: clone, PATH, npm_config_prefer_offline: 'true' }
  const options = { cwd: folder, env, stdio: 'pipe' } as const
  const startedAt = performance.now()
  execFileSync('sh', ['-ec', commands], options)
  // Saved by hand in the README.
  cpSync(path.join(EXAMPLE, 'server.mjs'), path.join(folder, 'server.mjs'))
  cpSync(path.join(EXAMPLE, 'test'), path.join(folder, 'test'), { recursive: true })
  execFileSync(process.execPath, ['--test', 'test/server.test.mts'], options)
  return (performance.now() - startedAt) / 1000
}
