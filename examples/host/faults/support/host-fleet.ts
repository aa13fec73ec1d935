import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@svc/store/testing'
import { type HostProcess, spawnHost } from '../../test/support/host-process.ts'

/** Processes of the host on one store, each on a port of its own that it keeps when it is started again. */
export interface HostFleet {
  readonly ports: readonly number[]
  /** One that is not being started again at the moment. */
  running(): HostProcess
  adminCall(method: string, path: string, body?: unknown): Promise<unknown>
  /** Figures of one that runs, as text. */
  metrics(): Promise<string>
  /** `POST <url>/<n>` starts process n again, counted from 1, as `systemctl restart` does; answers when it is done. */
  readonly restartUrl: string
  /** What processes said that could not be started again. */
  readonly failedStarts: readonly string[]
  stop(): Promise<void>
}

const ADMIN_TOKEN = randomBytes(24).toString('hex')

/**
 * Starts `count` processes.
 * @param onExit - hears the exit code of each process that was stopped
 * @param hostOf - folder of the host that a process is started from, asked at each start; this one unless it says another
 */
export async function startFleet(
  count: number,
  env: Readonly<Record<string, string>>,
  onExit: (code: number | null) => void,
  hostOf: (at: number) => string | undefined = () => undefined,
): Promise<HostFleet> {
  const key = `a:${randomBytes(32).toString('base64')}`
  const ports: number[] = []
  for (let at = 0; at < count; at += 1) ports.push(await freePort())
  const start = (at: number): Promise<HostProcess> => {
    const host = hostOf(at)
    return spawnHost({
      ...(host !== undefined && { host }),
      env: {
        SVC_KEYS: key,
        SVC_ADMIN_TOKEN: ADMIN_TOKEN,
        SVC_DEMO: 'off',
        SVC_TRUST_PROXY: '1',
        SVC_PORT: String(ports[at]),
        ...env,
      },
    })
  }
  const hosts: (HostProcess | undefined)[] = []
  for (const at of ports.keys()) hosts.push(await start(at))

  async function restart(at: number): Promise<void> {
    const host = hosts[at]
    hosts[at] = undefined
    if (host !== undefined) onExit(await host.stop())
    hosts[at] = await start(at)
  }
  const failedStarts: string[] = []
  const control = createServer((request, response) => {
    restart(Number(request.url?.slice(1)) - 1).then(
      () => response.end(),
      (error: unknown) => {
        failedStarts.push(String(error).slice(-2000))
        response.writeHead(500).end()
      },
    )
  })
  await new Promise<void>((resolve) => control.listen(0, '127.0.0.1', resolve))
  const { port } = control.address() as AddressInfo // it listens on a port

  function running(): HostProcess {
    const host = hosts.find((each) => each !== undefined)
    if (host === undefined) throw new Error('no process runs')
    return host
  }
  return {
    ports,
    running,
    restartUrl: `http://127.0.0.1:${port}`,
    failedStarts,
    async adminCall(method, path, body) {
      const answer = await fetch(`http://127.0.0.1:${running().adminPort}${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return answer.status === 204 ? undefined : answer.json()
    },
    async metrics() {
      const answer = await fetch(`http://127.0.0.1:${running().adminPort}/metrics`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, connection: 'close' },
      })
      return answer.text()
    },
    async stop() {
      control.closeAllConnections()
      control.close()
      await Promise.all(hosts.flatMap((host) => (host === undefined ? [] : [host.stop('SIGKILL')])))
    },
  }
}
