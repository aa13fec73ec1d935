import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '@svc/store/testing'
import { until } from '@svc/testkit'

/** An nginx on loopback in front of a host. */
export interface NginxFront {
  readonly port: number
  /** Takes other lines for `location /`, and a server that is somewhere else. */
  lead(upstream: number, lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** A certificate of an authority that was made for a test. */
export interface TestAuthority {
  /** PEM of the authority. */
  readonly ca: string
  readonly folder: string
}

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0 && spawnSync('openssl', ['version']).status === 0
}

/** Makes an authority, and a certificate for these names. */
export function makeAuthority(names: readonly string[]): TestAuthority {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-authority-'))
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  }
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'] as const
  openssl(
    'req',
    '-x509',
    ...ec,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '60',
    '-subj',
    '/CN=test',
  )
  openssl('req', ...ec, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=host')
  writeFileSync(
    path.join(folder, 'names'),
    `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\n`,
  )
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'request.pem', '-out', 'cert.pem', '-days', '30', ...signed)
  return { ca: readFileSync(path.join(folder, 'ca.pem'), 'utf8'), folder }
}

/** Starts nginx; with a folder of a certificate it speaks TLS. */
export async function startNginx(certificate?: string): Promise<NginxFront> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-nginx-'))
  const port = await freePort()
  const file = path.join(folder, 'nginx.conf')
  const isListening = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.on('close', () => socket.destroy())
    })
  let child: ReturnType<typeof spawn> | undefined

  async function stop(): Promise<void> {
    if (child === undefined) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    child = undefined
  }

  return {
    port,
    async lead(upstream, lines) {
      await stop()
      writeFileSync(file, configOf({ folder, port, upstream, lines, certificate }))
      child = spawn('nginx', ['-p', folder, '-c', file, '-e', path.join(folder, 'error.log')], {
        stdio: 'ignore',
      })
      await until(isListening)
    },
    async close() {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}

function configOf(given: {
  readonly folder: string
  readonly port: number
  readonly upstream: number
  readonly lines: readonly string[]
  readonly certificate: string | undefined
}): string {
  const { folder, port, upstream, lines, certificate } = given
  const tls =
    certificate === undefined
      ? ''
      : `ssl_certificate ${certificate}/cert.pem; ssl_certificate_key ${certificate}/key.pem;`
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
daemon off;
worker_processes 1;
pid ${folder}/pid;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 64; }
http {
  access_log off;
  ${temps.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port}${certificate === undefined ? '' : ' ssl'};
    ${tls}
    location / {
      ${lines.join('\n      ')}
      ${lines.some((line) => line.startsWith('return')) ? '' : `proxy_pass http://127.0.0.1:${upstream};`}
    }
  }
}
`
}
