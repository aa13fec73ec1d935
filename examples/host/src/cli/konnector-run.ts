import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'

/** Exit code of a konnector whose access token the provider refuses. */
const TOKEN_REFUSED = 2
const FOLDER = new URL('../../konnectors/', import.meta.url)

/** `svc konnector run`: what a scheduler does in a full server, once and by hand. */
export function addKonnectorRun(konnector: Command, connect: () => AdminClient): void {
  subcommand(
    konnector,
    'run <domain> <slug>',
    'Runs a konnector that lies beside the server with a fresh token of its account.',
  )
    .option('--account <id>', 'which account, if there are several')
    .action(async (domain: string, slug: string, options: { readonly account?: string }) => {
      const file = fileURLToPath(new URL(`${slug}/index.js`, FOLDER))
      const path = `/konnectors/${encodeURIComponent(slug)}/fields`
      const ask = (): Promise<Record<string, unknown>> =>
        connect().call('POST', instancePath(domain, path), { account: options.account })
      const { account, fields } = await ask()
      if (!existsSync(file)) throw new Error(`The konnector ${slug} has no program.`)
      let code = await run(file, fields)
      if (code === TOKEN_REFUSED) {
        // The provider ended the token before its time. Whether it ended the whole connection shows when it is asked for
        // another one; the account says so from then on.
        const refresh = `/accounts/${encodeURIComponent(String(account))}/refresh`
        await connect().call('POST', instancePath(domain, refresh), { force: true })
        code = await run(file, (await ask())['fields'])
      }
      if (code !== 0) throw new Error(`The konnector ended with ${String(code)}.`)
    })
}

/** Tokens go over standard input: arguments and environments are seen by others. */
async function run(file: string, fields: unknown): Promise<number | null> {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'inherit', 'inherit'] })
  // A program that ends without reading all of it says why by its code.
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify({ fields }))
  const [code] = (await once(child, 'exit')) as [number | null] // as Node says
  return code
}
