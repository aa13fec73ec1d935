import type { Command } from 'commander'
import type { AdminClient } from './admin-client.ts'
import { instancePath, subcommand } from './command.ts'
import { addKonnectorRun } from './konnector-run.ts'
import { clean, listOf, type OutputOptions, print, table } from './output.ts'

/** `svc konnector …` */
export function addKonnectorCommands(program: Command, connect: () => AdminClient): void {
  const konnector = program.command('konnector').description('Konnectors of an instance.')
  subcommand(konnector, 'list <domain>', 'Lists the installed konnectors.').action(
    async (domain: string, options: OutputOptions) => {
      const answer = await connect().call('GET', instancePath(domain, '/konnectors'))
      const rows = listOf(answer['konnectors']).map(({ slug }) => [slug])
      print(options, answer, table(['Slug'], rows))
    },
  )
  subcommand(
    konnector,
    'install <domain> <slug>',
    'Installs a konnector that lies beside the server.',
  ).action(async (domain: string, slug: string, options: OutputOptions) => {
    const answer = await connect().call('POST', instancePath(domain, '/konnectors'), { slug })
    print(options, answer, `Installed ${clean(answer['slug'])}.`)
  })
  subcommand(
    konnector,
    'uninstall <domain> <slug>',
    'Uninstalls a konnector; its tokens end.',
  ).action(async (domain: string, slug: string, options: OutputOptions) => {
    const path = instancePath(domain, `/konnectors/${encodeURIComponent(slug)}`)
    print(options, await connect().call('DELETE', path), `Uninstalled ${slug}.`)
  })
  addKonnectorRun(konnector, connect)
}
