/**
 * Installs what the site of the documents is built with, and builds it into `docs/site/dist`: `pnpm run site`. It has a
 * lock file of its own, so that nothing else installs it.
 *
 *   node .ci/site.ts [--tarballs <folder>] [--as <name>]... [--latest <folder>]
 *   node .ci/site.ts --tag v0.4.2
 *   node .ci/site.ts --all
 *
 * The first builds this clone, as `next` or as the versions that are named; `--latest` is the built site that its pages
 * lead on to. It is of the packed packages; without `--tarballs` they are packed first. `--tag` builds a release from a
 * checkout of its tag, under the name of its minor version, and as `latest` when there is no newer one. `--all` puts the
 * whole together: the last three minor versions, `latest`, and this clone as `next`. Each leaves a first page that leads
 * to `latest`, or to `next` while nothing is released.
 *
 * @see docs/decisions/0730
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { minorOf, minorsOf } from '../docs/site/build/version.ts'
import { packPackages, runPnpm } from '../packages/testkit/src/packed-packages.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const SITE = path.join(ROOT, 'docs/site')
const DIST = path.join(SITE, 'dist')
const LATEST = path.join(DIST, 'latest')

const { values } = parseArgs({
  options: {
    tarballs: { type: 'string' },
    as: { type: 'string', multiple: true, default: ['next'] },
    latest: { type: 'string' },
    tag: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
})

try {
  if (values.all) buildAll()
  else if (values.tag !== undefined) buildTag(values.tag)
  else buildHere(values.as, values.latest)
  writeFirstPage()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

function buildAll(): void {
  rmSync(DIST, { recursive: true, force: true })
  // The newest first: pages of the others lead on to those that it has.
  for (const { tag } of minorsOf(tags())) buildTag(tag)
  buildHere(['next'], existsSync(LATEST) ? LATEST : undefined)
}

function tags(): string[] {
  return execFileSync('git', ['tag', '--list'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
}

/** What builds a release is what it was released with: later rules about documents are not held against it. */
function buildTag(tag: string): void {
  const name = minorOf(tag)
  const isNewest = minorsOf(tags())[0]?.name === name
  if (!isNewest && !existsSync(LATEST)) {
    throw new Error(`pages of ${name} lead on to the latest version: build that one first`)
  }
  const names = isNewest ? [name, 'latest'] : [name]
  const checkout = mkdtempSync(path.join(tmpdir(), `svc-site-${tag}-`))
  try {
    const from = pathToFileURL(ROOT).href
    execFileSync('git', ['clone', '--quiet', '--depth=1', `--branch=${tag}`, from, checkout], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    runPnpm(['install', '--frozen-lockfile', '--prefer-offline'], checkout)
    runNode(path.join(checkout, '.ci/site.ts'), [
      ...names.flatMap((each) => ['--as', each]),
      ...(isNewest ? [] : ['--latest', LATEST]),
    ])
    for (const each of names) {
      rmSync(path.join(DIST, each), { recursive: true, force: true })
      cpSync(path.join(checkout, 'docs/site/dist', each), path.join(DIST, each), {
        recursive: true,
      })
    }
  } finally {
    rmSync(checkout, { recursive: true, force: true })
  }
}

function buildHere(names: readonly string[], latest: string | undefined): void {
  const tarballs = values.tarballs ?? path.join(ROOT, 'packed')
  if (values.tarballs === undefined) packPackages(ROOT, tarballs)
  runPnpm(['install', '--frozen-lockfile', '--prefer-offline'], SITE)
  for (const name of names) {
    runNode(path.join(SITE, 'build/main.ts'), [
      '--tarballs',
      tarballs,
      '--as',
      name,
      ...(latest === undefined ? [] : ['--latest', latest]),
    ])
  }
}

/** A page, since not every server of files can be told to redirect. */
function writeFirstPage(): void {
  const name = ['latest', 'next'].find((each) => existsSync(path.join(DIST, each)))
  if (name === undefined) return
  const target = `/${name}/`
  writeFileSync(
    path.join(DIST, 'index.html'),
    `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=${target}">
<title>Svc documentation</title>
<p><a href="${target}">Svc documentation</a></p>
</html>
`,
  )
}

/** @throws Error when it does not end well; what it prints is shown */
function runNode(file: string, args: readonly string[]): void {
  execFileSync(process.execPath, [file, ...args], { stdio: 'inherit' })
}
