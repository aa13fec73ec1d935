import { connect } from 'node:net'

/** A key, and the share of all commands that name it. */
export interface HotKey {
  readonly key: string
  readonly share: number
  /** Of a shared tag: not of one instance. */
  readonly isShared: boolean
}

export interface HotKeys {
  readonly commands: number
  /** The hottest first, ten of them. */
  readonly keys: readonly HotKey[]
  /** Shared ones above the limit. */
  readonly faults: readonly HotKey[]
}

const LIMIT = 0.01
const SHOWN = 10
/** `<time> [<db> <address>] "<command>" "<argument>"…`; what scripts do inside is told as of `lua`. */
const LINE = /^\+?\d+\.\d+ \[\d+ (\S+)\] (.*)$/
const ARGUMENT = /"((?:[^"\\]|\\.)*)"/g

/** Counts the keys that commands name, from MONITOR, until it is stopped. */
export async function watchKeys(port: number, idLength: number): Promise<() => HotKeys> {
  const counts = new Map<string, number>()
  let commands = 0
  let rest = ''
  const socket = connect(port, '127.0.0.1')
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('data', () => resolve())
    socket.write('MONITOR\r\n')
  })
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\r\n')
    rest = lines.pop() ?? ''
    for (const line of lines) note(line)
  })

  function note(line: string): void {
    const [, from, text = ''] = LINE.exec(line) ?? []
    if (from === undefined || from === 'lua') return
    commands += 1
    const args = [...text.matchAll(ARGUMENT)].map(([, value = '']) => value)
    for (const key of new Set(keysOf(args))) counts.set(key, (counts.get(key) ?? 0) + 1)
  }

  return () => {
    socket.destroy()
    const all = [...counts].map(([key, count]) => ({
      key,
      share: count / commands,
      isShared: (/^\{(.*?)\}/.exec(key)?.[1]?.length ?? 0) !== idLength,
    }))
    const sorted = all.toSorted((one, other) => other.share - one.share)
    return {
      commands,
      keys: sorted.slice(0, SHOWN),
      faults: sorted.filter(({ share, isShared }) => isShared && share > LIMIT),
    }
  }
}

/** All keys of ours have a tag in braces in front. */
function keysOf([command = '', ...args]: readonly string[]): readonly string[] {
  const isScript = /^eval(sha)?$/i.test(command)
  const named = isScript ? args.slice(2, 2 + Number(args[1])) : args
  return named.filter((key) => key.startsWith('{'))
}
