import { type ChildProcess, spawn } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { after } from 'mocha'

/** Runs programs of the suite that is being defined, which end with it. */
export function suiteServers() {
  const servers: ChildProcess[] = []
  after(async () => {
    for (const server of servers.filter(({ exitCode }) => exitCode === null)) {
      const ended = once(server, 'exit')
      server.kill()
      await ended
    }
  })
  /** @returns what matches in the first line that does. @throws Error when it ends before */
  return async function start(
    file: string,
    cwd: string,
    env: Readonly<Record<string, string>>,
    pattern: RegExp,
  ): Promise<string> {
    const server = spawn(process.execPath, [file], {
      cwd,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    servers.push(server)
    for await (const line of createInterface({ input: server.stdout })) {
      const [, found] = pattern.exec(line) ?? []
      if (found !== undefined) return found
    }
    throw new Error(`the server ended before it said ${pattern.source}`)
  }
}

export interface Socket extends EventEmitter {
  send(message: string): void
}

/** A websocket, by the library that a package of these has: Node's own names no other host. @param packageFile - its manifest */
export async function openSocket(
  packageFile: string,
  host: string,
  port: number,
  target: string,
): Promise<Socket> {
  // What `ws` exports.
  const WebSocket = createRequire(packageFile)('ws') as new (url: string, options: object) => Socket
  const socket = new WebSocket(`ws://127.0.0.1:${port}${target}`, { headers: { host } })
  await once(socket, 'open')
  return socket
}
