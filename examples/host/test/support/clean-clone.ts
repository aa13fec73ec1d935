import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { ROOT } from './readme-tour.ts'

/** The repository as somebody has it who just fetched it: nothing installed, built or kept. */
export interface CleanClone {
  readonly folder: string
  remove(): Promise<void>
}

/** What git ignores here, and git's own. */
const LEFT_OUT =
  /(?:^|\/)(?:node_modules|dist)$|\.tsbuildinfo$|^(?:\.git|data|screenshots)$|^examples\/[^/]+\/data$/

export async function makeCleanClone(): Promise<CleanClone> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-clone-'))
  await cp(ROOT, folder, {
    recursive: true,
    filter: (source) => !LEFT_OUT.test(path.relative(ROOT, source)),
  })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** What Node, npm, pnpm and this test run leave for the processes they start; how the registry is reached stays. */
const INHERITED =
  /^(?:SVC_|INIT_CWD$|NODE$|NODE_(?:OPTIONS|ENV|COMPILE_CACHE)$|npm_(?!config_)|npm_config_local_prefix$|pnpm_config_verify|PNPM_SCRIPT)/i

/** The environment of somebody who has Node and nothing else, with these `SVC_*` entries. */
export function newcomerEnvironment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !INHERITED.test(name))
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  return {
    ...Object.fromEntries(kept),
    PATH: folders.filter((folder) => !folder.includes('node_modules')).join(path.delimiter),
    // Nobody answers npx, and what this machine has already is not asked for again.
    npm_config_yes: 'true',
    npm_config_prefer_offline: 'true',
    // Else pnpm takes a store beside the clone where the temporary folder is a file system of its own.
    ...storeOfPnpm(),
    ...env,
  }
}

function storeOfPnpm(): Readonly<Record<string, string>> {
  const state = readFileSync(path.join(ROOT, 'node_modules/.modules.yaml'), 'utf8')
  const [, store] = /^\W*storeDir\W+(\/[^"\n]+)/m.exec(state) ?? []
  return store === undefined ? {} : { pnpm_config_store_dir: path.dirname(store) }
}
