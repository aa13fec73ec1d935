import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '@svc/store/testing'
import type { Certificates } from './deploy/certificates.ts'
import { type RunningProgram, startProgram } from './deploy/programs.ts'

/** An nginx on loopback in front of a host. */
export interface NginxFront {
  readonly port: number
  /** Takes other lines for `location /`, and a server that is somewhere else. */
  lead(upstream: number, lines: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Starts nginx; with certificates it speaks TLS. */
export async function startNginx(certificates?: Certificates): Promise<NginxFront> {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-nginx-'))
  const port = await freePort()
  const file = path.join(folder, 'nginx.conf')
  let nginx: RunningProgram | undefined
  return {
    port,
    async lead(upstream, lines) {
      await nginx?.stop()
      writeFileSync(file, configOf({ folder, port, upstream, lines, certificates }))
      const args = ['-p', folder, '-c', file, '-e', path.join(folder, 'error.log')]
      nginx = await startProgram('nginx', args, { ports: [port] })
    },
    async close() {
      await nginx?.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

function configOf(given: {
  readonly folder: string
  readonly port: number
  readonly upstream: number
  readonly lines: readonly string[]
  readonly certificates: Certificates | undefined
}): string {
  const { folder, port, upstream, lines, certificates: tls } = given
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const ends = lines.some((line) => line.startsWith('return'))
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
    listen 127.0.0.1:${port}${tls === undefined ? '' : ' ssl'};
    ${tls === undefined ? '' : `ssl_certificate ${tls.chain}; ssl_certificate_key ${tls.key};`}
    location / {
      ${lines.join('\n      ')}
      ${ends ? '' : `proxy_pass http://127.0.0.1:${upstream};`}
    }
  }
}
`
}
