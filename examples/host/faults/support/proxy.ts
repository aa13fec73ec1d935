import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@svc/store/testing'

/** A real proxy in front of processes of the host. */
export interface Proxy {
  readonly port: number
  /** What nginx wrote of its upstreams, the newest last: why it answered 502 itself. Caddy: nothing. */
  complaints(): Promise<readonly string[]>
  stop(): Promise<void>
}

export type ProxyKind = 'nginx' | 'caddy'

export interface ProxyOptions {
  readonly upstreams: readonly number[]
  /** How long it keeps an idle connection to a process; less than the drain. Seconds. */
  readonly keepS: number
}

/** Whether the program is installed. */
export function hasProxy(kind: ProxyKind): boolean {
  return spawnSync(kind, [kind === 'nginx' ? '-v' : 'version']).status === 0
}

/**
 * Starts the proxy on loopback, without TLS; it says that visitors came by https.
 * @throws Error when it does not listen within 10 s
 */
export async function startProxy(kind: ProxyKind, options: ProxyOptions): Promise<Proxy> {
  const folder = await mkdtemp(path.join(tmpdir(), `svc-${kind}-`))
  const port = await freePort()
  const file = path.join(folder, 'config')
  const text = kind === 'nginx' ? nginxConfig(port, folder, options) : caddyConfig(port, options)
  await writeFile(file, text)
  const child =
    kind === 'nginx'
      ? spawn('nginx', ['-p', folder, '-c', file, '-e', path.join(folder, 'error.log')])
      : spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
          env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
        })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    said = `${said}${part}`.slice(-4000)
  })
  const ended = once(child, 'exit')
  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const deadline = performance.now() + 10_000
  while (!(await isOpen(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      throw new Error(`${kind} does not start: ${said}`)
    }
    await pause(50)
  }
  async function complaints(): Promise<readonly string[]> {
    if (kind !== 'nginx') return []
    const lines = (await readFile(path.join(folder, 'error.log'), 'utf8')).split('\n')
    return lines.filter((line) => line.includes('upstream')).slice(-20)
  }
  return { port, complaints, stop }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function nginxConfig(port: number, folder: string, { upstreams, keepS }: ProxyOptions): string {
  return `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream svc {
    ${upstreams.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join('\n    ')}
    keepalive 64;
    keepalive_timeout ${keepS}s;
  }
  map $http_upgrade $svc_connection { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 600k;
    location / {
      proxy_pass http://svc;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto https;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $svc_connection;
      proxy_read_timeout 75s;
      proxy_next_upstream error timeout;
      proxy_next_upstream_tries 2;
    }
  }
}
`
}

function caddyConfig(port: number, { upstreams, keepS }: ProxyOptions): string {
  return `
{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy ${upstreams.map((each) => `127.0.0.1:${each}`).join(' ')} {
    lb_policy round_robin
    lb_try_duration 5s
    lb_try_interval 100ms
    health_uri /health/ready
    health_interval 1s
    header_up X-Forwarded-For {http.request.remote.host}
    header_up X-Forwarded-Proto https
    transport http {
      keepalive ${keepS}s
      keepalive_idle_conns 64
    }
  }
}
`
}
