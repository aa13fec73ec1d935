import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { programSources } from './entries.ts'
import { type Part, ROOT } from './part.ts'

const HOST = 'examples/host/src/cli.ts'
/** Nothing listens there, and nothing is stored there. */
const NOWHERE = { SVC_ADMIN_URL: 'http://127.0.0.1:1', SVC_DATA_DIR: '/nowhere', NO_COLOR: '1' }
/** Beside the help of each command. */
const FAULTY: readonly (readonly string[])[] = [
  ['nonsense'],
  ['status'],
  ['status', '--json'],
  ['instance', 'list'],
  ['instance', 'list', 'too', 'many'],
  ['store', 'copy', 'sqlite', 'sqlite'],
  ['completion', 'nonsense'],
]

interface Ended {
  readonly code: number
  readonly printed: string
}

/** The programs as a shell sees them: help of every command, what wrong words get, and what they end with. */
export async function commands(): Promise<Part[]> {
  const parts = await withHelp('svc', HOST, [])
  for (const words of FAULTY) parts.push(await part('svc', HOST, words))
  for (const [name, source] of programSources()) {
    parts.push(...(await withHelp(name, source, [])), await part(name, source, []))
  }
  return parts
}

/** A command and those below it, as its help lists them. */
async function withHelp(name: string, source: string, words: readonly string[]): Promise<Part[]> {
  const help = await part(name, source, [...words, '--help'])
  const listed = /^Commands:\n((?: .*\n?)*)/m.exec(help.text)?.[1] ?? ''
  const below = [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, command = '']) => command)
  const parts = [help, await part(name, source, [...words, '--nonsense'])]
  // Without what it needs; one that needs nothing would do its work.
  if (/^Usage: .*</m.test(help.text)) parts.push(await part(name, source, words))
  for (const command of below.filter((each) => each !== 'help')) {
    parts.push(...(await withHelp(name, source, [...words, command])))
  }
  return parts
}

async function part(name: string, source: string, words: readonly string[]): Promise<Part> {
  const { code, printed } = await runHere(source, words)
  const text = `exit code ${code}\n${printed.replaceAll(ROOT, '<root>').trimEnd()}`
  return { title: `$ ${[name, ...words].join(' ')}`, text }
}

let runs = 0

/** Runs a program in this process: loading its modules for each of its commands would take minutes. */
async function runHere(source: string, words: readonly string[]): Promise<Ended> {
  const { argv, env, exit, exitCode } = process
  // Settings of this run are none of the program.
  const outside = Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('SVC_')))
  const [out, err] = [process.stdout.write, process.stderr.write]
  let printed = ''
  let code: number | undefined
  const print = (chunk: string | Uint8Array): boolean => {
    if (code === undefined) printed += String(chunk)
    return true
  }
  const end = (given?: number | string | null): never => {
    code ??= Number(given ?? process.exitCode ?? 0)
    // Nothing of the program after this counts.
    throw new Error('the program has ended')
  }
  runs += 1
  const listeners = ['SIGINT', 'SIGTERM'].map((signal) => process.listeners(signal as 'SIGINT'))
  Object.assign(process, {
    argv: [argv[0], source, ...words],
    env: { ...outside, ...NOWHERE },
    exit: end,
  })
  Object.assign(process.stdout, { write: print })
  Object.assign(process.stderr, { write: print })
  process.exitCode = 0
  try {
    await import(`${pathToFileURL(path.join(ROOT, source)).href}?run=${runs}`)
    code ??= Number(process.exitCode)
  } catch (error) {
    // As a process ends with an error that nothing catches.
    if (code === undefined) printed += String(error)
    code ??= 1
  } finally {
    Object.assign(process, { argv, env, exit, exitCode })
    Object.assign(process.stdout, { write: out })
    Object.assign(process.stderr, { write: err })
    process.stdout.removeAllListeners('error')
    for (const [at, signal] of (['SIGINT', 'SIGTERM'] as const).entries()) {
      for (const listener of process.listeners(signal)) {
        if (!listeners[at]?.includes(listener)) process.off(signal, listener)
      }
    }
  }
  return { code, printed }
}
