import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@svc/store/testing'
import type { Certificates } from './certificates.ts'
import { type ProgramResult, runProgram, startProgram } from './programs.ts'

/** A proxy of the deployment files, with TLS, in front of a server. */
export interface Proxy {
  readonly httpPort: number
  readonly httpsPort: number
  stop(): Promise<void>
}

export interface ProxyOptions {
  /** For what it keeps while it runs. */
  readonly folder: string
  /** Where the deployment files are. */
  readonly deploy: string
  readonly certificates: Certificates
  /** Takes the place of `example.org`. */
  readonly domain: string
  /** Port of the server behind it. */
  readonly upstream: number
}

/** The deployment files as they are in the repository. */
export const DEPLOY: string = fileURLToPath(new URL('../../../deploy/', import.meta.url))

/** What an operator changes in a file. @throws Error when a text to be changed is not there */
function changed(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`the file does not hold ${from}`)
    return before.replaceAll(from, to)
  }, text)
}

/** Writes a configuration of nginx around the file that operators copy. @returns its path, and the ports */
async function writeNginx({
  folder,
  deploy,
  certificates,
  domain,
  upstream,
}: ProxyOptions): Promise<{ file: string; httpPort: number; httpsPort: number }> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  const site = changed(readFileSync(path.join(deploy, 'nginx/svc.conf'), 'utf8'), [
    ['example.org', domain],
    ['127.0.0.1:8080', `127.0.0.1:${upstream}`],
    // On loopback and on free ports, without the lines for IPv6.
    ['    listen [::]:80;\n', ''],
    ['    listen [::]:443 ssl default_server;\n', ''],
    ['    listen [::]:443 ssl http2;\n', ''],
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen 443 ', `listen 127.0.0.1:${httpsPort} `],
    ['/etc/svc/tls/fullchain.pem', certificates.chain],
    ['/etc/svc/tls/privkey.pem', certificates.key],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    const place = path.join(folder, `nginx-${name}`)
    return `${name}_temp_path ${place};`
  })
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'svc.conf'), site)
  const file = path.join(folder, 'nginx.conf')
  const around = [
    // Its workers write where the test does.
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'daemon off;',
    'worker_processes 2;',
    `pid ${path.join(folder, 'nginx.pid')};`,
    'error_log stderr warn;',
    'events { worker_connections 1024; }',
    `http { access_log off; ${temporary.join(' ')} include ${path.join(folder, 'svc.conf')}; }`,
  ]
  writeFileSync(file, `${around.join('\n')}\n`)
  return { file, httpPort, httpsPort }
}

/** `nginx -t` on the file that operators copy. */
export async function checkNginx(options: ProxyOptions): Promise<ProgramResult> {
  const { file } = await writeNginx(options)
  return runProgram('nginx', ['-t', '-c', file, '-e', 'stderr'])
}

export async function startNginx(options: ProxyOptions): Promise<Proxy> {
  const { file, httpPort, httpsPort } = await writeNginx(options)
  const nginx = await startProgram('nginx', ['-c', file, '-e', 'stderr'], {
    ports: [httpPort, httpsPort],
  })
  return { httpPort, httpsPort, stop: () => nginx.stop() }
}

export async function startCaddy(options: ProxyOptions): Promise<Proxy> {
  const { certificates, deploy, domain } = options
  const sites = changed(readCaddy(deploy, 'Caddyfile'), [
    ['example.org', domain],
    ['/etc/svc/tls/fullchain.pem', certificates.chain],
    ['/etc/svc/tls/privkey.pem', certificates.key],
  ])
  return runCaddy(options, (own) => `{\n${own}\n}\n${sites}`)
}

/** Caddy that gets certificates when names are visited, of the authority that it has inside. */
export function startCaddyOnDemand(options: {
  readonly folder: string
  readonly upstream: number
  /** Port of the internal listener. */
  readonly ask: number
}): Promise<Proxy> {
  const file = changed(readCaddy(DEPLOY, 'Caddyfile.on-demand'), [
    ['127.0.0.1:6070', `127.0.0.1:${options.ask}`],
    ['\t\ton_demand\n', '\t\ton_demand\n\t\tissuer internal\n'],
  ])
  // Its options come first in the file; a root of a test belongs into no store of the machine.
  const more = (own: string): string => `{\n${own}\nskip_install_trust\n`
  return runCaddy({ ...options, deploy: DEPLOY }, (own) => file.replace(/^\{\n/m, more(own)))
}

function readCaddy(deploy: string, name: string): string {
  return readFileSync(path.join(deploy, 'caddy', name), 'utf8')
}

/** @param write - makes the file of the options of the test */
async function runCaddy(
  { folder, deploy, upstream }: Pick<ProxyOptions, 'deploy' | 'folder' | 'upstream'>,
  write: (own: string) => string,
): Promise<Proxy> {
  const [httpPort, httpsPort] = [await freePort(), await freePort()]
  mkdirSync(folder, { recursive: true })
  const own = [
    'admin off',
    `http_port ${httpPort}`,
    `https_port ${httpsPort}`,
    'default_bind 127.0.0.1',
    `storage file_system ${path.join(folder, 'storage')}`,
  ]
  writeFileSync(path.join(folder, 'Caddyfile'), write(own.join('\n')))
  const common = changed(readCaddy(deploy, 'svc.caddy'), [
    ['127.0.0.1:8080', `127.0.0.1:${upstream}`],
  ])
  writeFileSync(path.join(folder, 'svc.caddy'), common)
  const config = ['--config', path.join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
  const caddy = await startProgram('caddy', ['run', ...config], {
    ports: [httpPort, httpsPort],
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  })
  return { httpPort, httpsPort, stop: () => caddy.stop() }
}
