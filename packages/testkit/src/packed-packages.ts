import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A package as it would be published. */
export interface PackedPackage {
  readonly name: string
  /** Absolute path of the tarball. */
  readonly file: string
}

/** Packs every public package of the workspace into a folder; `prepack` of each builds it. */
export function packPackages(root: string, folder: string): PackedPackage[] {
  const target = path.join(folder, 'tarballs')
  mkdirSync(target, { recursive: true })
  return globSync('packages/*/package.json', { cwd: root })
    .toSorted()
    .flatMap((manifestFile) => {
      const manifest = readManifest(path.join(root, manifestFile))
      if (manifest.private === true) return []
      const file = path.join(target, `${manifest.name.replace('@', '').replace('/', '-')}.tgz`)
      runPnpm(['pack', '--out', file], path.join(root, path.dirname(manifestFile)))
      return [{ name: manifest.name, file }]
    })
}

/**
 * Installs packed packages in a folder outside the workspace, as a stranger would; their dependencies come from
 * pnpm's store where it has them. `extra` are further dependencies of the folder's own package.
 */
export function installPackages(
  packages: readonly PackedPackage[],
  folder: string,
  extra: Readonly<Record<string, string>> = {},
): void {
  const own = Object.fromEntries(packages.map(({ name, file }) => [name, `file:${file}`]))
  const manifest = { name: 'embedding', private: true, type: 'module' }
  const dependencies = { ...own, ...extra }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies }))
  // The packages name each other by version; these versions are published nowhere yet.
  const overrides = Object.entries(own).map(([name, file]) => `  '${name}': '${file}'\n`)
  writeFileSync(
    path.join(folder, 'pnpm-workspace.yaml'),
    `packages: ['.']\nallowBuilds:\n  cbor-extract: false\n  msgpackr-extract: false\noverrides:\n${overrides.join('')}`,
  )
  runPnpm(['install', '--prefer-offline', '--no-frozen-lockfile'], folder)
}

function readManifest(file: string): { readonly name: string; readonly private?: boolean } {
  // Manifests of this repository: they have a name.
  return JSON.parse(readFileSync(file, 'utf8')) as { name: string; private?: boolean }
}

/** Runs the pnpm that runs this, or the pinned one. */
export function runPnpm(args: readonly string[], cwd: string): void {
  const script = process.env['npm_execpath'] ?? ''
  const isPnpm = /pnpm[^/]*$/.test(script)
  const [command, prefix]: [string, string[]] = isPnpm
    ? /\.[cm]?js$/.test(script)
      ? [process.execPath, [script]]
      : [script, []]
    : ['npx', ['-y', 'pnpm@12.21.0']]
  run(command, [...prefix, ...args], cwd)
}

function run(command: string, args: readonly string[], cwd: string): void {
  try {
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    // execFileSync's errors carry what the command printed.
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed\n${stdout ?? ''}${stderr ?? ''}`)
  }
}
