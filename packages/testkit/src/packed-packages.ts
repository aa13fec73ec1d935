import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A package as it would be published. */
export interface PackedPackage {
  readonly name: string
  /** Absolute path of the tarball. */
  readonly file: string
}

/**
 * Packs every public package of the workspace into a folder; `prepack` of each builds and checks it.
 * @param folder - tarballs that are there already go
 */
export function packPackages(root: string, folder: string): PackedPackage[] {
  mkdirSync(folder, { recursive: true })
  for (const file of globSync('*.tgz', { cwd: folder })) rmSync(path.join(folder, file))
  const names = publicPackages(root).map(({ name }) => `--filter=${name}`)
  // One after the other: each builds what it stands on, too.
  const options = ['--workspace-concurrency=1', '--pack-destination', folder]
  runPnpm(['--recursive', ...names, 'pack', ...options], root)
  return packedIn(root, folder)
}

/**
 * The packages of this workspace, packed once for all tests of a run: `SVC_TARBALLS` names the folder that they are
 * in. Without it they are packed into `packed/` of the workspace, as `pnpm run pack` does.
 */
export function sharedPackages(root: string): PackedPackage[] {
  const folder = process.env['SVC_TARBALLS']
  return folder === undefined
    ? packPackages(root, path.join(root, 'packed'))
    : packedIn(root, folder)
}

/** What `packPackages` made in a folder. */
export function packedIn(root: string, folder: string): PackedPackage[] {
  return publicPackages(root).map(({ name, version }) => {
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
    return { name, file: path.join(folder, file) }
  })
}

/**
 * What pnpm is told about tarballs that name each other by versions which no registry has: the `pnpm-workspace.yaml` of
 * a folder that installs them.
 */
export function pnpmSettings(packages: readonly PackedPackage[]): string {
  const overrides = packages.map(({ name, file }) => `  '${name}': 'file:${file}'\n`)
  return `packages: ['.']\nallowBuilds:\n  cbor-extract: false\n  msgpackr-extract: false\noverrides:\n${overrides.join('')}`
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
  writeFileSync(path.join(folder, 'pnpm-workspace.yaml'), pnpmSettings(packages))
  runPnpm(['install', '--prefer-offline', '--no-frozen-lockfile'], folder)
}

/** The commands of the README that pack and install the packages, for npm and for pnpm. */
export function installCommands(root: string): { readonly npm: string; readonly pnpm: string } {
  const text = readFileSync(path.join(root, 'README.md'), 'utf8')
  const [part = ''] = /<!-- install -->[\s\S]*<!-- \/install -->/.exec(text) ?? []
  const [npm, pnpm] = [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands]) => commands)
  if (npm === undefined || pnpm === undefined) throw new Error('the README shows no commands')
  return { npm, pnpm }
}

/** What a manifest of this repository says about a package. */
export interface PublicManifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly repository?: string | { readonly url: string }
}

/** The packages of a workspace that are published, by name. */
export function publicPackages(root: string): PublicManifest[] {
  return (
    globSync('packages/*/package.json', { cwd: root })
      .toSorted()
      // Manifests of this repository: they have a name and a version.
      .map((file) => JSON.parse(readFileSync(path.join(root, file), 'utf8')) as PublicManifest)
      .filter((manifest) => manifest.private !== true)
  )
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
