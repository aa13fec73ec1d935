import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { HostFleet } from '../support/host-fleet.ts'
import type { Program } from '../support/program.ts'

const SCRIPT = fileURLToPath(new URL('../../deploy/rolling-restart', import.meta.url))

/** A restart of one process. */
export interface RestartStep {
  /** Counted from 0. */
  readonly at: number
  /** Called before it. */
  readonly prepare?: () => void
  /** How long nothing else happens after it. Milliseconds. */
  readonly restMs?: number
}

/** Lets the script that operators use do it, step by step. @returns its exit code */
export async function restartAll(
  steps: readonly RestartStep[],
  { restartUrl, ports }: Pick<HostFleet, 'ports' | 'restartUrl'>,
  say: Program['say'],
): Promise<number> {
  const command = `node -e "fetch('${restartUrl}/%n', { method: 'POST' }).then((answer) => process.exit(answer.ok ? 0 : 1))"`
  for (const { at, prepare, restMs = 0 } of steps) {
    prepare?.()
    const startedAt = performance.now()
    const child = spawn(
      SCRIPT,
      [
        '--restart',
        command,
        '--ready',
        `http://127.0.0.1:${ports[at]}/health/ready`,
        `svc@${at + 1}`,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const [code] = (await once(child, 'exit')) as [number | null] // of an exit event
    say('restarted', { process: at + 1, tookMs: Math.round(performance.now() - startedAt) })
    if (code !== 0) return code ?? 1
    await pause(restMs)
  }
  return 0
}
