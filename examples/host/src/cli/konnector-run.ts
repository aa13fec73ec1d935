import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'

const FOLDER = new URL('../../konnectors/', import.meta.url)

/** `svc konnector run`: what a scheduler does in a full server, once and by hand. */
export function addKonnectorRun(konnector: Command, connect: () => AdminClient): void {
  subcommand(
    konnector,
    'run <domain> <slug>',
    'Runs a konnector that lies beside the server with a fresh token of its account.',
  )
    .option('--account <id>', 'which account, if there are several')
    .action(async (domain: string, slug: string, { account }: { readonly account?: string }) => {
      const path = `/konnectors/${encodeURIComponent(slug)}/fields`
      const { fields } = await connect().call('POST', instancePath(domain, path), { account })
      const file = fileURLToPath(new URL(`${slug}/index.js`, FOLDER))
      if (!existsSync(file)) throw new Error(`The konnector ${slug} has no program.`)
      await run(file, JSON.stringify({ fields }))
    })
}

/** Tokens go over standard input: arguments and environments are seen by others. */
async function run(file: string, input: string): Promise<void> {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'inherit', 'inherit'] })
  child.stdin.end(input)
  const [code] = (await once(child, 'exit')) as [number | null] // as Node says
  if (code !== 0) throw new Error(`The konnector ended with ${String(code)}.`)
}
