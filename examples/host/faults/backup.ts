import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { listBackups } from '../src/backups/backup-files.ts'
import { hostEnvironment, runSvc, spawnHost } from '../test/support/host-process.ts'
import { type Program, runProgram } from './support/program.ts'

// Backups of a server under load, whose command or server is killed while it copies; then a restore that is killed.
//   node --conditions=source examples/host/faults/backup.ts [--rounds 10] [--pause 60] [--kills 20] [--rate 50]
//     [--instances 200] [--seed n]
// Passes when every backup that has a name verifies, requests are served meanwhile, and the killed restore is repeated
// with the store of the backup.

const HOST = fileURLToPath(new URL('..', import.meta.url))
/** What 99 of 100 requests take at most while a copy is made, milliseconds. */
const P99_MS = 250

await runProgram(
  'backup',
  { rounds: '10', pause: '60', kills: '20', rate: '50', instances: '200' },
  async (program) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-backup-faults-'))
    program.atEnd(() => rmSync(folder, { recursive: true, force: true }))
    const dataDir = join(folder, 'data')
    const backups = join(folder, 'backups')
    let host = await spawnHost({ dataDir, env: { SVC_DEMO: 'off' } })
    program.atEnd(async () => {
      await host.stop()
    })
    for (let at = 0; at < Number(program.option('instances')); at++) {
      await adminCall(host, dataDir, `owner-${at}.example.com`)
    }
    const load = startLoad(host.port, Number(program.option('rate')))
    for (let round = 0; round < Number(program.option('rounds')); round++) {
      if (round > 0) await pause(Number(program.option('pause')) * 1000)
      const { code, stderr } = await host.svc('backup', 'create', '--to', backups)
      program.say('backup.made', { round, code, ...(code !== 0 && { stderr }) })
      if (code !== 0) return false
    }
    const { p99, failed, count } = await load.stop()
    program.say('load', { count, failed, p99 })
    const env = hostEnvironment({
      SVC_DATA_DIR: dataDir,
      SVC_ADMIN_URL: `http://127.0.0.1:${host.adminPort}`,
    })
    for (let kill = 0; kill < Number(program.option('kills')); kill++) {
      await killWithin(['backup', 'create', '--to', backups], env, program)
    }
    await host.svc('backup', 'create', '--to', backups)
    if (readdirSync(backups).some((name) => name.startsWith('.'))) {
      program.say('left_over', { names: readdirSync(backups) })
      return false
    }
    const files = listBackups(backups).map(({ file }) => file)
    for (const file of files) {
      const { code, stdout } = await runSvc(['backup', 'verify', file], env)
      program.say('backup.verified', { file, code, ...(code !== 0 && { stdout }) })
      if (code !== 0) return false
    }
    await host.stop()
    const [newest = ''] = files
    for (let kill = 0; kill < Number(program.option('kills')); kill++) {
      await killWithin(['backup', 'restore', newest], env, program)
    }
    const restored = await runSvc(['backup', 'restore', newest], env)
    program.say('restored', { code: restored.code, stderr: restored.stderr })
    host = await spawnHost({ dataDir, env: { SVC_DEMO: 'off' } })
    const listed = await host.svc('instance', 'list', '--json')
    const { instances } = JSON.parse(listed.stdout) as { readonly instances: readonly unknown[] }
    program.say('instances', { count: instances.length })
    const isWhole = instances.length === Number(program.option('instances'))
    return restored.code === 0 && isWhole && failed === 0 && p99 <= P99_MS
  },
)

async function adminCall(
  { adminPort }: { readonly adminPort: number },
  dataDir: string,
  domain: string,
): Promise<void> {
  const { ADMIN_TOKEN_FILE } = await import('../src/config/data-files.ts')
  const { readFileSync } = await import('node:fs')
  const token = readFileSync(join(dataDir, ADMIN_TOKEN_FILE), 'utf8').trim()
  const answer = await fetch(`http://127.0.0.1:${adminPort}/instances`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain }),
  })
  if (answer.status !== 201) throw new Error(`no instance: ${answer.status}`)
}

/** Kills a command at a moment that the seed chooses. */
async function killWithin(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { random, say }: Program,
): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=source', 'src/cli.ts', ...args], {
    cwd: HOST,
    env,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  // The program itself takes half a second to load.
  const afterMs = Math.round(400 + random() * 2000)
  await Promise.race([pause(afterMs), ended])
  child.kill('SIGKILL')
  await ended
  say('killed', { command: args[1], afterMs })
}

/** Questions at a steady rate whether the server is ready, which it asks its store. */
function startLoad(port: number, rate: number) {
  const times: number[] = []
  const waiting = new Set<Promise<void>>()
  let failed = 0
  const ask = async (): Promise<void> => {
    const startedAt = performance.now()
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`)
      if (!answer.ok) failed++
      await answer.arrayBuffer()
    } catch {
      failed++
    }
    times.push(performance.now() - startedAt)
  }
  const timer = setInterval(() => {
    const asked = ask().finally(() => waiting.delete(asked))
    waiting.add(asked)
  }, 1000 / rate)
  return {
    async stop(): Promise<{ p99: number; failed: number; count: number }> {
      clearInterval(timer)
      await Promise.all(waiting)
      const sorted = times.toSorted((one, other) => one - other)
      const p99 = Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)
      return { p99, failed, count: times.length }
    },
  }
}
