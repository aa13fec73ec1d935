import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'

/** A process of the benchmark that answers one question at a time. */
export interface Child {
  ask<Answer>(question: object): Promise<Answer>
  /** What it said when it was ready. */
  readonly hello: unknown
  stop(): Promise<void>
}

export interface ChildOptions {
  /** Whether it takes the packages as they are built. @defaultValue `false`: their sources, as this process does */
  readonly isBuilt?: boolean
  /** More flags of Node. @defaultValue none */
  readonly flags?: readonly string[]
  /** What stands for its standard error. @defaultValue this process's */
  readonly stderr?: number | 'pipe'
}

/** Starts a script of this folder with this process's Node. */
export async function startChild(
  script: string,
  args: readonly string[],
  { isBuilt = false, flags = [], stderr }: ChildOptions = {},
): Promise<Child> {
  const child = fork(path.join(import.meta.dirname, script), args, {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', stderr ?? 'inherit', 'ipc'],
    execArgv: [...(isBuilt ? [] : process.execArgv), ...flags],
  })
  const hello = await nextMessage(child)

  return {
    hello,
    async ask<Answer>(question: object): Promise<Answer> {
      const answer = nextMessage(child)
      child.send(question)
      // Each script knows what it answers to which question.
      return (await answer) as Answer
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        if (child.connected) child.disconnect()
      }),
  }
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('a process of the benchmark ended'))
    child.once('exit', onExit)
    child.once('message', (message: unknown) => {
      child.off('exit', onExit)
      const error = (message as { error?: string } | null)?.error
      if (error === undefined) resolve(message)
      else reject(new Error(error))
    })
  })
}
