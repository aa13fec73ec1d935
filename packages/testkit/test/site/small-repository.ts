import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runPnpm } from '../../src/packed-packages.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
/** What builds the site; the rest of a small repository is written here. */
const BUILDER = ['.ci/site.ts', 'packages/testkit/src/packed-packages.ts', 'docs/site']
const MADE = /\/(?:node_modules|dist|\.astro|\.generated|src\/content)(?:\/|$)/
const IGNORED = [
  'node_modules',
  'packed',
  'docs/site/dist',
  'docs/site/.astro',
  'docs/site/.generated',
]
const NAMES = ['-c', 'user.name=Tests', '-c', 'user.email=tests@example.com']

/** A repository that has a site of a few pages, two packages and releases. */
export class SmallRepository {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    for (const file of BUILDER) {
      cpSync(path.join(ROOT, file), path.join(folder, file), {
        recursive: true,
        filter: (from) => !MADE.test(from),
      })
    }
    this.#git('init', '--quiet', '--initial-branch=main')
    // What examples of this repository take as given is not there.
    this.write('docs/site/build/surroundings.ts', 'export {}\n')
    this.write('.gitignore', `${IGNORED.join('\n')}\ndocs/site/src/content\n`)
    this.write('package.json', JSON.stringify({ name: 'small', private: true, type: 'module' }))
    this.write('pnpm-workspace.yaml', "packages: ['packages/*']\n")
    this.#writePackages()
    this.writePages([
      'README',
      'docs/tour',
      'docs/embedding',
      'docs/owners',
      'docs/running',
      'docs/carrying',
    ])
    const doors = ['../README', 'embedding', 'owners', 'running', 'carrying'].map(
      (file) => `### I read ${file}\n\nHere is what it says.\n\n1. [It](${file}.md)\n`,
    )
    this.write(
      'docs/README.md',
      `# Documents\n\nThese are all documents there are.\n\n## Where to start\n\n${doors.join('\n')}`,
    )
    runPnpm(['install', '--prefer-offline', '--no-frozen-lockfile'], folder)
  }

  /** Each has its name as its title. @param files - without `.md`, from the root */
  writePages(files: readonly string[]): void {
    for (const file of files) {
      const title = path.basename(file)
      this.write(`${file}.md`, `# Page ${title}\n\nThis page is there to speak of ${title}.\n`)
    }
  }

  remove(file: string): void {
    rmSync(path.join(this.folder, file))
  }

  write(file: string, text: string): void {
    const absolute = path.join(this.folder, file)
    mkdirSync(path.dirname(absolute), { recursive: true })
    writeFileSync(absolute, text)
  }

  /** Commits everything under tags. */
  release(...tags: readonly string[]): void {
    this.#git('add', '--all')
    this.#git(...NAMES, 'commit', '--quiet', '--message', tags.join())
    for (const tag of tags) this.#git('tag', tag)
  }

  /** Runs the builder. @throws Error with what it printed */
  build(...options: readonly string[]): void {
    const builder = path.join(this.folder, '.ci/site.ts')
    execFileSync(process.execPath, [builder, ...options], { stdio: 'pipe', encoding: 'utf8' })
  }

  #git(...args: readonly string[]): void {
    execFileSync('git', args, { cwd: this.folder, stdio: 'pipe' })
  }

  #writePackages(): void {
    this.#writePackage('store', 'keep')
    this.write(
      'packages/store/dist/index.d.ts',
      '/** What was kept. */\nexport interface Kept {\n    readonly text: string;\n}\n/** Keeps a text. */\nexport declare function keep(text: string): Kept;\n',
    )
    this.#writePackage('wipe', 'wipe')
    this.write(
      'packages/wipe/dist/index.d.ts',
      "/**\n * Wipes a text.\n * @example\n * wipe('a')\n */\nexport declare function wipe(text: string): void;\n",
    )
  }

  #writePackage(name: string, uses: string): void {
    const manifest = {
      name: `@svc/${name}`,
      version: '0.1.0',
      description: `A package that can ${uses} what it is given.`,
      type: 'module',
      files: ['dist'],
      exports: { '.': { types: './dist/index.d.ts' } },
      devDependencies: { '@types/node': '24.19.2' },
    }
    this.write(`packages/${name}/package.json`, JSON.stringify(manifest))
    this.write(
      `packages/${name}/README.md`,
      `# @svc/${name}\n\nThis package can ${uses} what it is given.\n\n\`\`\`ts\nimport { ${uses} } from '@svc/${name}'\n\n${uses}('a')\n\`\`\`\n`,
    )
  }
}
