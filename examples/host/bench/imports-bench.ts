import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'
import { type Figure, median } from './figure.ts'

export interface ImportsBenchOptions {
  readonly rounds: number
  readonly say: (line: string) => void
}

const PACKAGES = path.resolve(import.meta.dirname, '../../../packages')
/** Of the package that brings the most. @see docs/decisions/0673 */
const TARGET_MS: Readonly<Record<string, number>> = { 'auth-ui': 250 }
/** Loads an entry and says what it took, milliseconds; then it ends, whatever was begun. */
const PROGRAM = `const [start, cpu] = [performance.now(), process.cpuUsage()]
await import(process.argv[1])
const ms = performance.now() - start
const { user, system } = process.cpuUsage(cpu)
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000 }))
process.exit(0)`

interface Load {
  readonly ms: number
  readonly cpuMs: number
}

/** How long a process takes to load the built main entry of each package, the start of Node left out. */
export function benchImports({ rounds, say }: ImportsBenchOptions): Figure[] {
  const names = globSync('*/dist/index.js', { cwd: PACKAGES })
    .map((file) => file.split(path.sep)[0] ?? '')
    .filter((name) => name !== 'testkit')
    .toSorted()
  if (names.length === 0) throw new Error('built code is measured: run `pnpm build` first')
  const times = new Map(names.map((name): [string, Load[]] => [name, []]))
  // The packages take turns, so that a busy moment is not one package's.
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, all] of times) all.push(load(name))
  }
  return [...times].map(([name, all]) => {
    const ms = median(all.map((one) => one.ms))
    const cpuMs = median(all.map((one) => one.cpuMs))
    say(`import of ${name}: ${ms.toFixed(0)} ms`)
    const most = TARGET_MS[name]
    return {
      name: `import of @svc/${name}`,
      value: `${ms.toFixed(0)} ms (${cpuMs.toFixed(0)} ms of processor time)`,
      ...(most !== undefined && { target: `≤ ${most} ms` }),
      isMet: most === undefined || ms <= most,
    }
  })
}

/** In the package's own folder, from where it finds itself as others do. */
function load(name: string): Load {
  const cwd = path.join(PACKAGES, name)
  const env = { PATH: process.env['PATH'] }
  const args = ['--input-type=module', '--eval', PROGRAM, `@svc/${name}`]
  const printed = execFileSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
  return JSON.parse(printed) as Load // what the program above prints
}
