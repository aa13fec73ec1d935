import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { runPnpm } from '../../packages/testkit/src/packed-packages.ts'

/** What of the host's folder an operator gets. */
const PARTS = ['apps', 'deploy', 'dist', 'konnectors', 'node_modules', 'store-apps']
/** Of the documents, those for who runs it: the units and the alerts name them. */
const DOCUMENTS =
  'docs/{admin-api,backup,configuration,deployment,logs,operating,runbook,scaling}.md'
/** The commands, and what Node is called with. @see docs/decisions/0393 */
const COMMANDS = {
  svc: ['cli.js'],
  'svc-host': ['main.js', '--max-semi-space-size=16'],
} as const

/** Host and production dependencies in one folder without links. @returns where, and the version of it all */
export function assemble(root: string, work: string): { folder: string; version: string } {
  const { version } = readManifest(path.join(root, 'packages/platform/package.json'))
  const folder = path.join(work, `svc-${version}`)
  runPnpm(
    [
      '--filter',
      '@svc/example-host',
      '--config.node-linker=hoisted',
      // Without optional packages: they are native, and one archive serves every kind of machine.
      'deploy',
      '--prod',
      '--no-optional',
      '--prefer-offline',
      folder,
    ],
    root,
  )
  for (const entry of globSync('{*,.*}', { cwd: folder })) {
    if (!PARTS.includes(entry)) rmSync(path.join(folder, entry), { recursive: true, force: true })
  }
  for (const entry of globSync('node_modules/.*', { cwd: folder })) {
    rmSync(path.join(folder, entry), { recursive: true, force: true })
  }
  writeCommands(folder)
  writeManifest(folder, version, readManifest(path.join(root, 'package.json')).engines)
  for (const file of globSync(DOCUMENTS, { cwd: root })) {
    cpSync(path.join(root, file), path.join(folder, file))
  }
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  return { folder, version }
}

function writeCommands(folder: string): void {
  mkdirSync(path.join(folder, 'bin'))
  for (const [name, [program, ...options]] of Object.entries(COMMANDS)) {
    const file = path.join(folder, 'bin', name)
    // A link to it may stand anywhere on the path.
    const lines = [
      '#!/bin/sh',
      'set -e',
      'folder=$(dirname "$(readlink -f "$0")")/..',
      ['exec node', ...options, `"$folder/dist/${program}" "$@"`].join(' '),
    ]
    writeFileSync(file, `${lines.join('\n')}\n`)
    chmodSync(file, 0o755)
  }
}

function writeManifest(folder: string, version: string, engines: unknown): void {
  const bin = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, `bin/${name}`]))
  const manifest = { name: 'svc', version, private: true, license: 'MIT', type: 'module' }
  const text = JSON.stringify({ ...manifest, engines, bin }, undefined, 2)
  writeFileSync(path.join(folder, 'package.json'), `${text}\n`)
}

function readManifest(file: string): { name: string; version: string; engines?: unknown } {
  // Manifests of this repository.
  return JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string }
}
